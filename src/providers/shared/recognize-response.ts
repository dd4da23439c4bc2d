import type { JsonObject } from "../../formats/json.ts";
import { indexOfBytes, isBlank, textOfBytes } from "../../lib/values/bytes.ts";
import type { Capability, TaskCapability } from "../contract/provider.ts";

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
  songs: ["audio", "data"],
  transcriptions: ["text"],
  translations: ["text"],
  realtime: [],
  live: [],
};

/** The member names in quotes: inside JSON strings their quotes would be escaped. */
const QUOTED: ReadonlyMap<string, readonly Buffer[]> = new Map(
  Object.entries(MEMBERS).map(([capability, names]) => [capability, names.map((name) => Buffer.from(`"${name}"`))]),
);
const EVENT_TYPE = [Buffer.from('"type"')];
/** What these return a list of; without an entry the upstream has made nothing. */
const NEEDS_ENTRIES: ReadonlySet<string> = new Set(["embeddings", "images", "image-edits", "image-variations"]);

const PLAIN_TRANSCRIPTS: ReadonlySet<unknown> = new Set(["text", "srt", "vtt"]);
const IS_HTML = /^\s*<(!doctype|html|head|body)/i;
const HTML_PROBE_BYTES = 200;
const IS_EMPTY_LIST = /^\s*:\s*\[\s*\]/;
const LIST_PROBE_BYTES = 100;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Whether a response with status 200 belongs to the capability's API in OpenAI's format, rather than being a proxy's
 * login page, a text or another object. Inspects bytes only, so that long responses cost nothing. `request`: the call's
 * body.
 */
export function isResponseTo(
  capability: Capability | TaskCapability,
  request: JsonObject,
  body: Uint8Array,
  contentType: string,
): boolean {
  const isTranscript = capability === "transcriptions" || capability === "translations";
  if (isTranscript && PLAIN_TRANSCRIPTS.has(request.response_format)) return !isHtml(body, contentType);
  const members = QUOTED.get(capability) ?? [];
  return isObject(body) && (NEEDS_ENTRIES.has(capability) ? hasEntries(members, body) : mentions(members, body));
}

/** Whether the complete events of a stream contain any part of such a response. */
export const isStreamOf = (capability: Capability | TaskCapability, block: Uint8Array): boolean =>
  mentions(capability === "chat" || capability === "completions" ? (QUOTED.get("chat") ?? []) : EVENT_TYPE, block);

/** Whether a response is a web page. */
const isHtml = (body: Uint8Array, contentType: string): boolean =>
  contentType.startsWith("text/html") || IS_HTML.test(Buffer.from(body.subarray(0, HTML_PROBE_BYTES)).toString());

/** Whether a response that should be an image or audio is a page, events or another text. */
export const isText = (body: Uint8Array, contentType: string): boolean =>
  isHtml(body, contentType) || contentType.startsWith("text/");

/** Whether one of the members is there, and not an empty list. */
const hasEntries = (members: readonly Buffer[], bytes: Uint8Array): boolean =>
  members.some((member) => {
    const at = indexOfBytes(bytes, member);
    return (
      at >= 0 && !IS_EMPTY_LIST.test(textOfBytes(bytes, at + member.length, at + member.length + LIST_PROBE_BYTES))
    );
  });

function mentions(members: readonly Buffer[], bytes: Uint8Array): boolean {
  for (const member of members) if (indexOfBytes(bytes, member) >= 0) return true;
  return false;
}

/** Whether the body begins and ends like a JSON object; a truncated one does not. */
function isObject(body: Uint8Array): boolean {
  let start = 0;
  while (start < body.length && body[start] !== OPEN_BRACE && isBlank(body[start])) start += 1;
  let last = body.length - 1;
  while (last > start && body[last] !== CLOSE_BRACE && isBlank(body[last])) last -= 1;
  return body[start] === OPEN_BRACE && body[last] === CLOSE_BRACE;
}
