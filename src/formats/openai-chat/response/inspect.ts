import { isBlank } from "../../../lib/values/bytes.ts";
import type { ReplyError } from "../../conversation/reply.ts";
import { finishError, finishReasonOf } from "../../helpers/finish-reasons.ts";

/**
 * What the bytes of a response, or of a block of a stream, say without being parsed: looks at the quoted names of members, as
 * inside texts their quotes would be escaped.
 */

const ERROR_MEMBER = Buffer.from('"error"');
/** MiniMax's. */
const STATUS_MEMBER = Buffer.from('"base_resp"');

/** Whether there is a member that can report an error or success. */
export const mayContainError = (bytes: Buffer): boolean =>
  bytes.includes(ERROR_MEMBER) || bytes.includes(STATUS_MEMBER);

/** A member that only usage objects have (`"usage":null` has none). */
export const USAGE_FIGURE = Buffer.from('"prompt_tokens"');

const BRACKET = 93;
const LF = 10;

/** Where in a block of whole events the closing `[DONE]` event begins; -1 without one. */
export function doneEventStart(block: Buffer): number {
  let end = block.length;
  while (end > 0 && (block[end - 1] ?? 0) <= 32) end -= 1;
  if (block[end - 1] !== BRACKET || block.toString("latin1", Math.max(0, end - 6), end) !== "[DONE]") return -1;
  return block.lastIndexOf(LF, end - 6) + 1;
}

const [OPEN_BRACE, CLOSE_BRACE] = [123, 125];

/** Whether a body begins and ends like a JSON object, as a truncated one does not, and has one of the quoted members. */
export function isObjectWith(members: readonly Buffer[], body: Buffer): boolean {
  let start = 0;
  while (start < body.length && body[start] !== OPEN_BRACE && isBlank(body[start])) start += 1;
  let last = body.length - 1;
  while (last > start && body[last] !== CLOSE_BRACE && isBlank(body[last])) last -= 1;
  if (body[start] !== OPEN_BRACE || body[last] !== CLOSE_BRACE) return false;
  for (const member of members) if (body.includes(member)) return true;
  return false;
}

const FINISH_MEMBER = Buffer.from('"finish_reason"');
const FINISH_VALUE = /^"([A-Za-z_]{1,64})"/;
const MAX_FINISH_BYTES = 80;
const [COLON, QUOTE, SPACE] = [58, 34, 32];

/** OpenAI's own words, and what some services write for none in each chunk but the last. */
const KNOWN_FINISHES: ReadonlySet<string> = new Set(
  "stop length tool_calls content_filter function_call null".split(" "),
);

/** Finish reasons in OpenAI's words. */
type Finishes<Bytes extends Buffer> = Readonly<{
  /** The same bytes if nothing changes. */
  bytes: Bytes | Buffer<ArrayBuffer>;
  /** The error of an answer whose finish reasons all are failures; null: it has none, or none that is. */
  failure: ReplyError | null;
}>;

/**
 * Reads the finish reasons, and replaces those that other services have words of their own for, such as GLM's "sensitive", by
 * OpenAI's; failures and reasons that nobody documents stay.
 */
export function readFinishes<Bytes extends Buffer>(bytes: Bytes): Finishes<Bytes> {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  let failed: string | null = null;
  let isAnswered = false;
  for (let at = bytes.indexOf(FINISH_MEMBER); at >= 0; at = bytes.indexOf(FINISH_MEMBER, at)) {
    at += FINISH_MEMBER.length;
    while (bytes[at] === COLON || bytes[at] === SPACE) at += 1;
    // Each chunk but the last says null.
    if (bytes[at] !== QUOTE) continue;
    const native = FINISH_VALUE.exec(bytes.toString("utf8", at, at + MAX_FINISH_BYTES))?.[1];
    if (native === undefined) continue;
    const reason = KNOWN_FINISHES.has(native) ? native : finishReasonOf("openai-chat", native);
    if (reason === "error") failed = native;
    else isAnswered = true;
    if (reason === native || !KNOWN_FINISHES.has(reason)) continue;
    pieces.push(bytes.subarray(copied, at + 1), Buffer.from(reason));
    copied = at + 1 + native.length;
  }
  return {
    bytes: copied === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(copied)]),
    failure: failed === null || isAnswered ? null : finishError("openai-chat", failed),
  };
}

const TIER_MEMBER = Buffer.from('"service_tier"');
const TIER_VALUE = /^\s*:\s*"([A-Za-z0-9_.-]{1,64})"/;
const MAX_TIER_BYTES = 80;

/** The last service tier that is named, wherever it is. Null: none. */
export function serviceTierIn(bytes: Buffer): string | null {
  const at = bytes.lastIndexOf(TIER_MEMBER);
  if (at < 0) return null;
  const start = at + TIER_MEMBER.length;
  return TIER_VALUE.exec(bytes.toString("utf8", start, start + MAX_TIER_BYTES))?.[1] ?? null;
}
