import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { Extensions, MediaPart, MediaSource, Part, ToolResultPart } from "../conversation/conversation.ts";
import { carrySignature, readSignature } from "../conversation/signature.ts";
import { camel } from "../helpers/member-names.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../json.ts";
import { GROUNDING } from "../tools/web-search.ts";
import { serverToolIn } from "./request/server-tools.ts";

/**
 * Disables the signature check for calls that another model made. Source:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const NO_SIGNATURE = "skip_thought_signature_validator";

const UNKNOWN_TYPE = "application/octet-stream";

/** Reads a member in either spelling: Google accepts camelCase and snake_case everywhere. */
export const either = (record: JsonObject | null | undefined, name: string): unknown =>
  record?.[name] ?? record?.[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

/** Names of calls without an id, in order: results without an id are matched by name. */
export type CallNames = { ids: Map<string, string[]>; made: number };

/** Members of each kind of part that are decoded; all others become extensions, restored for Google only. */
const DECODED_MEMBERS = lookupTable<ReadonlySet<string>>({
  functionCall: new Set(["id", "name", "args"]),
  functionResponse: new Set(["id", "name", "response", "parts"]),
  inlineData: new Set(["mimeType", "data"]),
  fileData: new Set(["mimeType", "fileUri"]),
});
const TEXT_MEMBERS: ReadonlySet<string> = new Set(["text", "thought", "thoughtSignature"]);

function partExtensions(part: JsonObject): JsonObject {
  const members: JsonObject = {};
  for (const [wireName, value] of Object.entries(part)) {
    const name = camel(wireName);
    const read = DECODED_MEMBERS[name];
    if (!read) {
      if (!TEXT_MEMBERS.has(name)) members[name] = value;
      continue;
    }
    const further = Object.entries(recordOf(value) ?? {}).filter(([inner]) => !read.has(camel(inner)));
    if (further.length > 0) members[name] = Object.fromEntries(further);
  }
  return members;
}

/**
 * Restores extensions. A file that the gateway fetched moves to another member (`inlineData`), so the extensions of its
 * original member are left out.
 */
function withExtensions(written: JsonObject, { extensions }: Extensions): JsonObject {
  if (extensions?.dialect !== "gemini") return written;
  const members = Object.entries(extensions.members).filter(([name]) => !DECODED_MEMBERS[name] || written[name]);
  return mergeMembers(written, Object.fromEntries(members));
}

/** Merges two objects and the objects one level inside them. */
function mergeMembers(first: JsonObject, second: JsonObject): JsonObject {
  const merged = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const own = recordOf(merged[name]);
    merged[name] = own ? { ...own, ...recordOf(value) } : value;
  }
  return merged;
}

/**
 * Reads a part. Calls without an id receive one, and their results the same. Source:
 * https://ai.google.dev/api/generate-content
 */
export function readPart(part: JsonObject, calls: CallNames): Part[] {
  const [first, ...rest] = readPlain(part, calls);
  if (!first || first.type === "native" || first.type === "reasoning" || first.type === "refusal") {
    return first ? [first, ...rest] : [];
  }
  const members = mergeMembers(partExtensions(part), first.extensions?.members ?? {});
  if (Object.keys(members).length === 0) return [first, ...rest];
  return [{ ...first, extensions: { dialect: "gemini", members } }, ...rest];
}

function readPlain(part: JsonObject, calls: CallNames): Part[] {
  const signature = textOf(either(part, "thoughtSignature"));
  const signed = signature ? { signature: readSignature(signature, "gemini") } : null;
  const call = recordOf(either(part, "functionCall"));
  if (call) return [readCall(call, calls, signed)];
  const response = recordOf(either(part, "functionResponse"));
  if (response) return [readResponse(response, calls)];
  const inline = recordOf(either(part, "inlineData"));
  if (inline) {
    const mediaType = textOf(either(inline, "mimeType")) ?? UNKNOWN_TYPE;
    return [media(mediaType, { kind: "base64", mediaType, data: textOf(inline.data) ?? "" })];
  }
  const file = recordOf(either(part, "fileData"));
  if (file) {
    const mediaType = textOf(either(file, "mimeType")) ?? UNKNOWN_TYPE;
    const url = textOf(either(file, "fileUri")) ?? "";
    return [
      media(
        mediaType,
        isFetchableUrl(url) ? { kind: "file", id: url, dialect: "gemini", mediaType } : { kind: "url", url, mediaType },
      ),
    ];
  }
  const text = textOf(part.text);
  if (text === null) return [{ type: "native", dialect: "gemini", name: Object.keys(part)[0] ?? "part", value: part }];
  if (part.thought === true) return [{ type: "reasoning", text, ...signed }];
  const written: Part[] = text === "" ? [] : [{ type: "text", text }];
  return signed ? [...written, { type: "reasoning", text: "", ...signed }] : written;
}

function readCall(
  call: JsonObject,
  calls: CallNames,
  signed: Pick<Extract<Part, { type: "tool-call" }>, "signature"> | null,
): Part {
  const name = textOf(call.name) ?? "";
  const id = textOf(call.id) ?? `call_${calls.made++}_${name}`;
  calls.ids.set(name, [...(calls.ids.get(name) ?? []), id]);
  return { type: "tool-call", id, name, input: JSON.stringify(call.args ?? {}), kind: "function", ...signed };
}

function readResponse(response: JsonObject, calls: CallNames): Part {
  const name = textOf(response.name);
  const waiting = calls.ids.get(name ?? "") ?? [];
  const id = textOf(response.id) ?? waiting[0] ?? `call_${name}`;
  calls.ids.set(
    name ?? "",
    waiting.filter((other) => other !== id),
  );
  const value = recordOf(response.response) ?? {};
  const names = Object.keys(value);
  const only = names.length === 1 ? value[names[0] ?? ""] : undefined;
  const isError = names.length === 1 && names[0] === "error";
  const plain = names.length === 1 && (isError || names[0] === "result" || names[0] === "output") ? only : value;
  const text = typeof plain === "string" ? plain : JSON.stringify(plain);
  const extra = recordsOf(response.parts).flatMap((part) => readPart(part, calls));
  const result: ToolResultPart = {
    type: "tool-result",
    callId: id,
    name,
    parts: [{ type: "text", text }, ...extra],
    isError,
  };
  // The response has a form other than the one `writePart` would give it, so the original is retained.
  const isSame = JSON.stringify(responseOf(result)) === JSON.stringify(value);
  return isSame
    ? result
    : { ...result, extensions: { dialect: "gemini", members: { functionResponse: { response: value } } } };
}

function media(mediaType: string, source: MediaSource): MediaPart {
  const kind = mediaType.split("/")[0];
  const type = kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
  return { type, source };
}

/** Writes a part for Gemini; null if Gemini has no equivalent. */
export function writePart(part: Part): JsonObject | null {
  const written = writePlain(part);
  return written && "extensions" in part ? withExtensions(written, part) : written;
}

function writePlain(part: Part): JsonObject | null {
  switch (part.type) {
    case "text":
      return part.text === "" ? null : { text: part.text };
    case "refusal":
      return { text: part.text };
    case "reasoning": {
      const serverTool = serverToolIn(part.signature);
      if (serverTool) return serverTool;
      if (part.signature?.dialect !== "gemini") return null;
      return part.text === ""
        ? { text: "", thoughtSignature: part.signature.value }
        : { text: part.text, thought: true, thoughtSignature: part.signature.value };
    }
    case "tool-call": {
      const args = recordOf(parseJson(part.input)) ?? (part.input.trim() === "" ? {} : { input: part.input });
      const own = part.signature?.dialect === "gemini" ? part.signature.value : null;
      return { functionCall: { name: part.name, args }, ...(own !== null && { thoughtSignature: own }) };
    }
    case "tool-result":
      return {
        functionResponse: { name: part.name ?? part.callId, response: responseOf(part) },
      };
    case "native":
      return part.dialect === "gemini" && part.name !== GROUNDING ? part.value : null;
    default:
      return writeMedia(part.source);
  }
}

/** Gemini requires a signature on the first call of each step; history by another model states that it has none. */
export function signFirstCall(parts: readonly JsonObject[]): void {
  const first = parts.find((part) => part.functionCall);
  if (first && first.thoughtSignature === undefined) first.thoughtSignature = NO_SIGNATURE;
}

const REFERENCE = /"\$ref"\s*:/;

/** A function's response is an object: JSON objects go unchanged, everything else under `result` or `error`. */
function responseOf({ parts, isError }: ToolResultPart): JsonObject {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (isError) return { error: text };
  // Google takes a reference inside of an object for one into the response.
  return (REFERENCE.test(text) ? null : recordOf(parseJson(text))) ?? { result: text };
}

/** Whether Gemini can fetch the URL: only Google can fetch its own uploaded files and YouTube videos. */
export const isFetchableUrl = (url: string): boolean =>
  /^(gs:|https:\/\/(www\.)?(youtube\.com|youtu\.be|generativelanguage\.googleapis\.com))/.test(url);

/** Whether a service that fetches media can fetch this: Google demands https and the media type. */
export const isNamedFile = (url: string, mediaType: string | null | undefined): boolean =>
  /^https:/i.test(url) && Boolean(mediaType) && mediaType !== UNKNOWN_TYPE;

function writeMedia(source: MediaSource): JsonObject | null {
  switch (source.kind) {
    case "base64":
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case "url":
      // Others have been fetched where the service does not fetch them itself.
      return isFetchableUrl(source.url) || isNamedFile(source.url, source.mediaType)
        ? fileData(source.url, source.mediaType)
        : null;
    case "text":
      return { text: source.text };
    case "file":
      return source.dialect === "gemini" ? fileData(source.id, source.mediaType) : null;
  }
}

const fileData = (fileUri: string, mimeType?: string): JsonObject => ({
  fileData: { fileUri, ...(mimeType && { mimeType }) },
});

/** The signature of a reasoning part where Gemini's clients send it back. */
export const signatureMember = (signature: Parameters<typeof carrySignature>[0] | undefined): JsonObject =>
  signature ? { thoughtSignature: carrySignature(signature, "gemini") } : {};
