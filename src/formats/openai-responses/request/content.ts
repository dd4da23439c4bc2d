import type { MediaPart, MediaSource, Part } from "../../conversation/conversation.ts";
import { withMessageMark } from "../../helpers/cache-marks.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../json.ts";
import { sourceOfUrl, urlOfSource } from "../../media.ts";

/** Content of a message or of a tool's output: a text, or parts. */
export function readContent(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return recordsOf(content).flatMap((part) => {
    const read = readPart(part);
    return read ? withMessageMark([read], part) : [];
  });
}

function readPart(part: JsonObject): Part | null {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
    case "reasoning_text":
      return { type: "text", text: textOf(part.text) ?? "" };
    case "refusal":
      return { type: "refusal", text: textOf(part.refusal) ?? "" };
    case "input_image": {
      const source = sourceOf(textOf(part.image_url), "image/png", textOf(part.file_id));
      const detail = textOf(part.detail);
      return source && { type: "image", source, ...(detail !== null && { detail }) };
    }
    case "input_file": {
      const source = sourceOf(textOf(part.file_data) ?? textOf(part.file_url), "application/pdf", textOf(part.file_id));
      const name = textOf(part.filename);
      return source && { type: "document", source, ...(name !== null && { name }) };
    }
    case "input_audio": {
      const audio = recordOf(part.input_audio) ?? part;
      const data = textOf(audio.data);
      const mediaType = `audio/${textOf(audio.format) ?? "wav"}`;
      return data === null ? null : { type: "audio", source: { kind: "base64", mediaType, data } };
    }
    default:
      return null;
  }
}

function sourceOf(url: string | null, mediaType: string, fileId: string | null): MediaSource | null {
  if (url !== null && url !== "") {
    const bare = !/^[a-z]+:/i.test(url);
    return bare ? { kind: "base64", mediaType, data: url } : sourceOfUrl(url, mediaType);
  }
  return fileId === null ? null : { kind: "file", id: fileId, dialect: "openai-responses" };
}

/** Writes media as parts of a user message; null if the format cannot express it. */
export function writeMedia({ type, source, detail, name }: MediaPart): JsonObject | null {
  if (source.kind === "file") {
    if (!source.dialect.startsWith("openai")) return null;
    return { type: type === "image" ? "input_image" : "input_file", file_id: source.id };
  }
  const url = urlOfSource(source);
  switch (type) {
    case "image":
      return { type: "input_image", image_url: url, detail: detail ?? "auto" };
    case "document":
      if (source.kind === "text") return { type: "input_text", text: source.text };
      return source.kind === "url"
        ? { type: "input_file", file_url: url }
        : { type: "input_file", filename: name ?? "document.pdf", file_data: url };
    case "audio":
    case "video":
      return null;
  }
}
