import type { JsonObject } from "../../formats/json.ts";
import { indexOfBytes } from "../../lib/values/bytes.ts";
import type { Capability, TaskCapability } from "../../providers/contract/provider.ts";

/** Members of which a response in OpenAI's format has at least one. Compatible services differ for images and rerank. */
const MEMBERS: Readonly<Record<Capability, readonly string[]>> = {
  chat: ["choices"],
  completions: ["choices"],
  embeddings: ["data"],
  moderations: ["results"],
  rerank: ["results", "data"],
  images: ["data", "images"],
  "image-edits": ["data", "images"],
  "image-variations": ["data", "images"],
  speech: ["audio", "data"],
  transcriptions: ["text"],
  translations: ["text"],
  realtime: [],
};

/** As they stand in JSON: inside of texts their quotes would be escaped. */
const QUOTED: ReadonlyMap<string, readonly Buffer[]> = new Map(
  Object.entries(MEMBERS).map(([capability, names]) => [capability, names.map((name) => Buffer.from(`"${name}"`))]),
);
const EVENT_TYPE = [Buffer.from('"type"')];

const PLAIN_TRANSCRIPTS: ReadonlySet<unknown> = new Set(["text", "srt", "vtt"]);
const IS_HTML = /^\s*<(!doctype|html|head|body)/i;
const HTML_PROBE_BYTES = 200;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Whether a response with status 200 is one of the capability's API in OpenAI's format: a proxy's login page, a text or an
 * object of something else is not. Looks at bytes only, so that long responses cost nothing. `request`: what was asked for.
 */
export function isResponseTo(
  capability: Capability | TaskCapability,
  request: JsonObject,
  body: Uint8Array,
  contentType: string,
): boolean {
  const isTranscript = capability === "transcriptions" || capability === "translations";
  if (isTranscript && PLAIN_TRANSCRIPTS.has(request.response_format)) return !isHtml(body, contentType);
  return isObject(body) && mentions(QUOTED.get(capability) ?? [], body);
}

/** Whether whole events of a stream hold any of such a response. */
export const isStreamOf = (capability: Capability | TaskCapability, block: Uint8Array): boolean =>
  mentions(capability === "chat" || capability === "completions" ? (QUOTED.get("chat") ?? []) : EVENT_TYPE, block);

/** Whether a response is a web page, whatever it was asked for. */
export const isHtml = (body: Uint8Array, contentType: string): boolean =>
  contentType.startsWith("text/html") || IS_HTML.test(Buffer.from(body.subarray(0, HTML_PROBE_BYTES)).toString());

const mentions = (members: readonly Buffer[], bytes: Uint8Array): boolean =>
  members.some((member) => indexOfBytes(bytes, member) >= 0);

/** Begins and ends as a JSON object does: one that broke off does not. */
function isObject(body: Uint8Array): boolean {
  let start = 0;
  while (start < body.length && isBlank(body[start])) start += 1;
  let last = body.length - 1;
  while (last > start && isBlank(body[last])) last -= 1;
  return body[start] === OPEN_BRACE && body[last] === CLOSE_BRACE;
}

const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;
