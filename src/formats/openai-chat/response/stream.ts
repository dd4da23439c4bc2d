import { eventData, eventEnd, eventStart, splitEvents } from "../../../lib/http/sse.ts";
import { indexOfBytes, lastIndexOfBytes, textOfBytes } from "../../../lib/values/bytes.ts";
import type { ReplyError, Usage } from "../../conversation/reply.ts";
import { finishError, finishReasonOf } from "../../helpers/finish-reasons.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../json.ts";
import { isErrorAnswer } from "../errors.ts";
import { collectOutput } from "./output.ts";
import { isPlaceholder, readUsage, usageIn } from "./usage.ts";

/** Inspects the bytes of chat (and text completion) streams and decodes only the events that matter. */

export const DONE_EVENT = "data: [DONE]\n\n";

const BRACKET = 93;
const LF = 10;
/** A member that only usage objects have; inside texts its quotes would be escaped. */
const USAGE_MEMBER = Buffer.from('"prompt_tokens"');
const ERROR_MEMBER = Buffer.from('"error"');
/** MiniMax's. */
const STATUS_MEMBER = Buffer.from('"base_resp"');
const DATA_FIELD = Buffer.from("data");

/** Whether a block of whole events holds a usage object (`"usage":null` is none). */
export const mentionsUsage = (block: Uint8Array): boolean => indexOfBytes(block, USAGE_MEMBER) >= 0;

/** Where in a block of whole events the closing `[DONE]` event begins; -1 without one. */
export function doneEventStart(block: Uint8Array): number {
  let end = block.length;
  while (end > 0 && (block[end - 1] ?? 0) <= 32) end -= 1;
  if (block[end - 1] !== BRACKET || textOfBytes(block, Math.max(0, end - 6), end) !== "[DONE]") return -1;
  return block.lastIndexOf(LF, end - 6) + 1;
}

/** The parsed chunk of an event; null when it carries none (comment, [DONE], no JSON object). */
export function chunkOf(event: string): JsonObject | null {
  const data = eventData(event);
  return data === null || data === "[DONE]" ? null : recordOf(parseJson(data));
}

/**
 * Reads the usage in a block of complete events (the last one counts), and returns the block without the events that
 * hold nothing else, unless these are to stay; they are cut out in place. `isStandard`: the usage is in OpenAI's
 * member. Parses only events that mention usage.
 */
export function readUsageEvents(
  block: Uint8Array,
  keepUsageOnly: boolean,
): { usage: Usage | null; isStandard: boolean; block: Uint8Array } {
  let usage: Usage | null = null;
  let isStandard = false;
  let remaining = block;
  for (let at = indexOfBytes(remaining, USAGE_MEMBER); at >= 0; ) {
    const start = eventStart(remaining, at);
    const end = eventEnd(remaining, at);
    const chunk = chunkOf(textOfBytes(remaining, start, end));
    const standard = readUsage(chunk?.usage);
    const reported = standard ?? usageIn(chunk);
    usage = reported ?? usage;
    isStandard ||= standard !== null;
    const isToGo = reported ? !keepUsageOnly : isPlaceholder(recordOf(chunk?.usage) ?? {});
    const swallowed = isToGo && Array.isArray(chunk?.choices) && chunk.choices.length === 0;
    if (swallowed) {
      remaining.copyWithin(start, end);
      remaining = remaining.subarray(0, remaining.length - (end - start));
    }
    at = indexOfBytes(remaining, USAGE_MEMBER, swallowed ? start : end);
  }
  return { usage, isStandard, block: remaining };
}

const TIER_MEMBER = Buffer.from('"service_tier"');
const TIER_VALUE = /^\s*:\s*"([A-Za-z0-9_.-]{1,64})"/;
const MAX_TIER_BYTES = 80;

/**
 * The last service tier that a response, or a block of a stream, names: a member of this name, wherever it is, as in texts
 * its quotes would be escaped. Null: none.
 */
export function serviceTierIn(bytes: Uint8Array): string | null {
  const at = lastIndexOfBytes(bytes, TIER_MEMBER);
  if (at < 0) return null;
  const start = at + TIER_MEMBER.length;
  return TIER_VALUE.exec(textOfBytes(bytes, start, Math.min(bytes.length, start + MAX_TIER_BYTES)))?.[1] ?? null;
}

/** Whether any event of the block has a chunk (comments have none). */
export const carriesData = (block: Uint8Array): boolean => indexOfBytes(block, DATA_FIELD) >= 0;

/** Whether a response, or a block of a stream, has a member that can report an error or success. */
export const mayContainError = (bytes: Uint8Array): boolean =>
  indexOfBytes(bytes, ERROR_MEMBER) >= 0 || indexOfBytes(bytes, STATUS_MEMBER) >= 0;

/** The data of the first event that is an error object; null if there is none. */
export const errorEventIn = (block: Uint8Array): string | null => firstErrorIn(block, () => false);

/** The data of an error event that precedes all content; null if there is none. */
export const errorInPlaceOfAnswer = (block: Uint8Array): string | null => firstErrorIn(block, carriesContent);

const FINISH_MEMBER = Buffer.from('"finish_reason"');
const FINISH_VALUE = /^"([A-Za-z_]{1,64})"/;
const MAX_FINISH_BYTES = 80;
const [COLON, QUOTE, SPACE] = [58, 34, 32];

/** A finish reason, and where its word stands in the bytes. */
type Finish = Readonly<{ native: string; start: number; end: number }>;
const NO_FINISHES: readonly Finish[] = [];

/** The finish reasons of a response, or of a block of a stream. Looks at the bytes of the member alone: inside texts its quotes would be escaped. */
function finishesIn(bytes: Uint8Array): readonly Finish[] {
  let found: Finish[] | null = null;
  for (let at = indexOfBytes(bytes, FINISH_MEMBER); at >= 0; at = indexOfBytes(bytes, FINISH_MEMBER, at)) {
    at += FINISH_MEMBER.length;
    while (bytes[at] === COLON || bytes[at] === SPACE) at += 1;
    // Each chunk but the last says null.
    if (bytes[at] !== QUOTE) continue;
    const native = FINISH_VALUE.exec(textOfBytes(bytes, at, Math.min(bytes.length, at + MAX_FINISH_BYTES)))?.[1];
    if (native === undefined) continue;
    found ??= [];
    found.push({ native, start: at + 1, end: at + 1 + native.length });
  }
  return found ?? NO_FINISHES;
}

/** The error of a response, or of a block of a stream, whose finish reasons all are failures; null: it has none, or none that is. */
export function finishErrorIn(bytes: Uint8Array): ReplyError | null {
  const finishes = finishesIn(bytes);
  const failed = finishes.every(({ native }) => finishReasonOf("openai-chat", native) === "error");
  const last = failed ? finishes.at(-1) : undefined;
  return last ? finishError("openai-chat", last.native) : null;
}

/** OpenAI's own words, and what some services write for none in each chunk but the last. */
const KNOWN_FINISHES: ReadonlySet<string> = new Set(
  "stop length tool_calls content_filter function_call null".split(" "),
);

/**
 * A response, or a block of a stream, with OpenAI's words for the finish reasons that other services have words of their own for,
 * such as GLM's "sensitive"; failures and reasons that nobody documents stay. The same bytes if nothing changes.
 */
export function withKnownFinish<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Buffer<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { native, start, end } of finishesIn(bytes)) {
    const reason = KNOWN_FINISHES.has(native) ? native : finishReasonOf("openai-chat", native);
    if (!KNOWN_FINISHES.has(reason) || reason === native) continue;
    pieces.push(bytes.subarray(from, start), Buffer.from(reason));
    from = end;
  }
  return from === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** The same for the block that begins a stream, before any content. */
export const finishErrorBeforeContent = (block: Uint8Array): ReplyError | null => {
  const error = finishErrorIn(block);
  return error && splitEvents(textOfBytes(block)).some((event) => carriesContent(chunkOf(event))) ? null : error;
};

function firstErrorIn(block: Uint8Array, endsSearch: (chunk: JsonObject | null) => boolean): string | null {
  if (!mayContainError(block)) return null;
  for (const event of splitEvents(textOfBytes(block))) {
    const chunk = chunkOf(event);
    if (isErrorAnswer(chunk)) return eventData(event);
    if (endsSearch(chunk)) return null;
  }
  return null;
}

function carriesContent(chunk: JsonObject | null): boolean {
  let hasContent = false;
  const note = () => {
    hasContent = true;
  };
  collectOutput(chunk, { text: note, toolCall: note, other: note });
  return hasContent;
}

/** A complete response as a stream: one chunk with everything, one with the usage if requested, and the end marker. */
export function replyAsStream(reply: JsonObject, withUsage: boolean): string {
  const { usage, choices, ...rest } = reply;
  const object = rest.object === "text_completion" ? rest.object : "chat.completion.chunk";
  const chunkChoices = (Array.isArray(choices) ? choices : []).map((item) => {
    const { message, ...choice } = recordOf(item) ?? {};
    return recordOf(message) ? { ...choice, delta: withCallIndexes(recordOf(message) ?? {}) } : choice;
  });
  const events: JsonObject[] = [{ ...rest, object, choices: chunkChoices }];
  if (withUsage && usage != null) events.push({ ...rest, object, choices: [], usage });
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + DONE_EVENT;
}

function withCallIndexes(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  return { ...message, tool_calls: message.tool_calls.map((call, index) => ({ index, ...recordOf(call) })) };
}

/** The usage chunk that an upstream omitted, in the shape of the stream's other chunks. `usage`: in chat's shape. */
export function usageEvent(firstChunk: JsonObject | null, usage: JsonObject): string {
  const { id, object, created, model } = firstChunk ?? {};
  const chunk = {
    id: textOf(id) ?? "",
    object: textOf(object) ?? "chat.completion.chunk",
    created: created ?? 0,
    model: textOf(model) ?? "",
    choices: [],
    usage,
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** The usage of embeddings, which have no completion. */
export const embeddingUsage = ({ promptTokens }: Usage): JsonObject => ({
  prompt_tokens: promptTokens,
  total_tokens: promptTokens,
});

/** Usage that the gateway counted, in OpenAI's shape, without details. */
export const countedUsage = ({ promptTokens, completionTokens }: Usage): JsonObject => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
