import type { MediaPart, MediaSource, Part } from "./conversation/conversation.ts";
import { type JsonObject, recordOf, textOf } from "./json.ts";

const DATA_URI = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s;

/** Reads a data URI or URL as a media source. */
export function sourceOfUrl(url: string, fallbackType: string): MediaSource {
  const [, mediaType, data] = DATA_URI.exec(url) ?? [];
  return data === undefined ? { kind: "url", url } : { kind: "base64", mediaType: mediaType || fallbackType, data };
}

/** Writes a source as URL or data URI; null for files uploaded to another service. */
export function urlOfSource(source: MediaSource): string | null {
  switch (source.kind) {
    case "url":
      return source.url;
    case "base64":
      return `data:${source.mediaType};base64,${source.data}`;
    case "text":
      return `data:text/plain;base64,${Buffer.from(source.text).toString("base64")}`;
    case "file":
      return null;
  }
}

/** Reads a media part of a chat message; null if the part is no media. */
export function mediaPartOf(part: JsonObject): MediaPart | null {
  switch (part.type) {
    case "image_url": {
      const image = recordOf(part.image_url);
      const url = textOf(image?.url) ?? textOf(part.image_url);
      const detail = textOf(image?.detail);
      return url === null
        ? null
        : { type: "image", source: sourceOfUrl(url, "image/png"), ...(detail !== null && { detail }) };
    }
    case "input_audio": {
      const audio = recordOf(part.input_audio);
      const data = textOf(audio?.data);
      const mediaType = `audio/${textOf(audio?.format) ?? "wav"}`;
      return data === null ? null : { type: "audio", source: { kind: "base64", mediaType, data } };
    }
    case "file": {
      const file = recordOf(part.file);
      const name = textOf(file?.filename);
      const source = fileSource(file);
      return source && { type: "document", source, ...(name !== null && { name }) };
    }
    case "video_url": {
      const url = textOf(recordOf(part.video_url)?.url) ?? textOf(part.video_url);
      return url === null ? null : { type: "video", source: sourceOfUrl(url, "video/mp4") };
    }
    default:
      return null;
  }
}

function fileSource(file: JsonObject | null): MediaSource | null {
  const data = textOf(file?.file_data);
  if (data !== null) {
    return DATA_URI.test(data)
      ? sourceOfUrl(data, "application/pdf")
      : { kind: "base64", mediaType: "application/pdf", data };
  }
  const id = textOf(file?.file_id);
  return id === null ? null : { kind: "file", id, dialect: "openai-chat" };
}

/** Writes a media part as chat messages have it; null if the format cannot express it. */
export function chatMedia(part: MediaPart): JsonObject | null {
  const { source } = part;
  if (source.kind === "file") {
    return source.dialect.startsWith("openai") && part.type === "document"
      ? { type: "file", file: { file_id: source.id } }
      : null;
  }
  const url = urlOfSource(source);
  switch (part.type) {
    case "image":
      return { type: "image_url", image_url: { url, ...(part.detail !== undefined && { detail: part.detail }) } };
    case "audio":
      return source.kind === "base64"
        ? { type: "input_audio", input_audio: { data: source.data, format: audioFormat(source.mediaType) } }
        : null;
    case "document":
      if (source.kind === "text") return { type: "text", text: source.text };
      return source.kind === "base64"
        ? { type: "file", file: { filename: part.name ?? "document.pdf", file_data: url } }
        : null;
    case "video":
      return { type: "video_url", video_url: { url } };
  }
}

const audioFormat = (mediaType: string): string =>
  /mpeg|mp3/.test(mediaType) ? "mp3" : mediaType.replace(/^audio\/(x-)?/, "");

/** The text of the parts; other parts are left out. */
export const textOfParts = (parts: readonly Part[], separator = "\n"): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
