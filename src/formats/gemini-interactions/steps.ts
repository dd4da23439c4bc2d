import { DecodeError } from "../conversation/codec.ts";
import type { MediaPart, MediaSource, Part, Signature, ToolResultPart } from "../conversation/conversation.ts";
import { carrySignature, readSignature } from "../conversation/signature.ts";
import { urlCitationOf } from "../conversation/url-citation.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../json.ts";
import { sourceOfUrl } from "../media.ts";

/** The format's name. */
export const INTERACTIONS = "gemini-interactions";

/** Types of content, each with the media type that one without its own has. */
const MEDIA: Readonly<Record<string, string>> = {
  image: "image/png",
  audio: "audio/wav",
  video: "video/mp4",
  document: "application/pdf",
};

/** Precedes the id of the call that a signature belongs to: calls themselves cannot carry one. */
const CALL_PREFIX = "call:";

/** Reads a content block; null: it is of a type that only this format has. */
export function readContent(content: JsonObject): Part | null {
  const type = textOf(content.type) ?? "";
  if (type === "text") {
    const citations = recordsOf(content.annotations).map((annotation) => urlCitationOf(annotation, 0, INTERACTIONS));
    return { type, text: textOf(content.text) ?? "", ...(citations.length > 0 && { citations }) };
  }
  const usualType = MEDIA[type];
  if (usualType === undefined) return null;
  const mediaType = textOf(content.mime_type) ?? usualType;
  const detail = textOf(content.resolution);
  return {
    type: type as MediaPart["type"],
    source: sourceOf(content, mediaType),
    ...(detail !== null && { detail: detail === "low" || detail === "high" ? detail : "auto" }),
  };
}

function sourceOf(content: JsonObject, mediaType: string): MediaSource {
  const data = textOf(content.data);
  if (data !== null) return { kind: "base64", mediaType, data };
  const uri = textOf(content.uri) ?? "";
  return GOOGLE_FILE.test(uri)
    ? { kind: "file", id: uri, dialect: INTERACTIONS, mediaType }
    : sourceOfUrl(uri, mediaType);
}

/** Files that only Google can read. */
const GOOGLE_FILE = /^(gs:|files\/|https:\/\/generativelanguage\.googleapis\.com)/;

/** Writes a content block; null if the format has none for the part. */
export function writeContent(part: Part): JsonObject | null {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
    case "video":
    case "document":
      return writeMedia(part);
    default:
      return null;
  }
}

function writeMedia({ type, source }: MediaPart): JsonObject | null {
  switch (source.kind) {
    case "base64":
      return { type, mime_type: source.mediaType, data: source.data };
    case "url":
      return { type, uri: source.url, ...(source.mediaType && { mime_type: source.mediaType }) };
    case "text":
      return { type: "text", text: source.text };
    case "file":
      if (source.dialect !== INTERACTIONS && source.dialect !== "gemini") return null;
      return { type, uri: source.id, ...(source.mediaType && { mime_type: source.mediaType }) };
  }
}

/** The result of a function: a text, a list of contents or any object. */
export function readResult(step: JsonObject): ToolResultPart {
  const { result } = step;
  const parts: Part[] = Array.isArray(result)
    ? recordsOf(result).flatMap((content) => readContent(content) ?? [])
    : [{ type: "text", text: typeof result === "string" ? result : JSON.stringify(result ?? {}) }];
  return {
    type: "tool-result",
    callId: textOf(step.call_id) ?? "",
    name: textOf(step.name),
    parts,
    isError: step.is_error === true,
  };
}

/** Writes the result of a function. */
export function writeResult({ callId, name, parts, isError }: ToolResultPart): JsonObject {
  const [first] = parts;
  const contents = parts.flatMap((part) => writeContent(part) ?? []);
  return {
    type: "function_result",
    call_id: callId,
    ...(name !== null && { name }),
    result: parts.length === 1 && first?.type === "text" ? first.text : contents,
    ...(isError && { is_error: true }),
  };
}

/** What a thought holds: reasoning, or the signature of the call after it. */
type ReadThought = { part: Extract<Part, { type: "reasoning" }> } | { callId: string; signature: Signature };

/** Reads a thought. */
export function readThought(step: JsonObject): ReadThought {
  const text = recordsOf(step.summary)
    .flatMap((content) => textOf(content.text) ?? [])
    .join("\n\n");
  const sealed = textOf(step.signature);
  if (!sealed) return { part: { type: "reasoning", text, summary: true } };
  const { id, ...signature } = readSignature(sealed, INTERACTIONS);
  if (id?.startsWith(CALL_PREFIX)) return { callId: id.slice(CALL_PREFIX.length), signature };
  const encrypted = id === HIDDEN || (signature.dialect === INTERACTIONS && text === "");
  return {
    part: {
      type: "reasoning",
      text,
      signature: { ...signature, ...(id !== undefined && id !== HIDDEN && { id }) },
      ...(encrypted && { encrypted }),
      ...(signature.dialect === INTERACTIONS && text !== "" && { summary: true }),
    },
  };
}

/** Marks another provider's hidden reasoning. */
const HIDDEN = "hidden";

/** The signature of a thought. */
export const sealThought = (signature: Signature, encrypted: boolean): string =>
  carrySignature(encrypted ? { ...signature, id: HIDDEN } : signature, INTERACTIONS);

/** The signature of the thought that carries the signature of the call after it. */
export const sealCall = (signature: Signature, callId: string): string =>
  carrySignature({ ...signature, id: CALL_PREFIX + callId }, INTERACTIONS);

/** Arguments of a call, which are an object. */
export const argumentsOf = (input: string): JsonObject =>
  recordOf(parseJson(input)) ?? (input.trim() === "" ? {} : { input });

/** Throws DecodeError for an item of the input that has no known form. */
export function refuseItem(at: number): never {
  throw new DecodeError(`“input[${at}]” must be a content block or a step with a “type”.`, `input[${at}]`);
}
