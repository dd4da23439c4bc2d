import type { JsonObject } from "../../formats/json.ts";
import { isObjectWith } from "../../formats/openai-chat/response/inspect.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
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
  mcp: [],
};

/** The member names in quotes: inside JSON strings their quotes would be escaped. */
const QUOTED: ReadonlyMap<string, readonly Buffer[]> = new Map(
  Object.entries(MEMBERS).map(([capability, names]) => [capability, names.map((name) => Buffer.from(`"${name}"`))]),
);
/** What these return a list of; without an entry the upstream has made nothing. */
const NEEDS_ENTRIES: ReadonlySet<string> = new Set(["embeddings", "images", "image-edits", "image-variations"]);

const PLAIN_TRANSCRIPTS: ReadonlySet<unknown> = new Set(["text", "srt", "vtt"]);
const IS_HTML = /^\s*<(!doctype|html|head|body)/i;
const HTML_PROBE_BYTES = 200;
const IS_EMPTY_LIST = /^\s*:\s*\[\s*\]/;
const LIST_PROBE_BYTES = 100;

/**
 * Whether a response with status 200 belongs to the capability's API in OpenAI's format, rather than being a proxy's
 * login page, a text or another object. Inspects bytes only, so that long responses cost nothing. `request`: the call's
 * body.
 */
export function isResponseTo(
  capability: Capability | TaskCapability,
  request: JsonObject,
  body: Buffer,
  contentType: string,
): boolean {
  const isTranscript = capability === "transcriptions" || capability === "translations";
  if (isTranscript && PLAIN_TRANSCRIPTS.has(request.response_format)) return !isHtml(body, contentType);
  const members = QUOTED.get(capability) ?? [];
  return isObjectWith(members, body) && (!NEEDS_ENTRIES.has(capability) || hasEntries(members, body));
}

/** Whether a response is a web page. */
const isHtml = (body: Uint8Array, contentType: string): boolean =>
  contentType.startsWith("text/html") || IS_HTML.test(Buffer.from(body.subarray(0, HTML_PROBE_BYTES)).toString());

/** Whether a response that should be an image or audio is a page, events or another text. */
export const isText = (body: Uint8Array, contentType: string): boolean =>
  isHtml(body, contentType) || contentType.startsWith("text/");

/** Whether one of the members is there, and not an empty list. */
const hasEntries = (members: readonly Buffer[], bytes: Buffer): boolean =>
  members.some((member) => {
    const at = bytes.indexOf(member);
    return (
      at >= 0 && !IS_EMPTY_LIST.test(textOfBytes(bytes, at + member.length, at + member.length + LIST_PROBE_BYTES))
    );
  });
