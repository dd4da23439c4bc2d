import { eventData, splitEvents } from "../../lib/sse.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../json.ts";
import type { ReportedUsage } from "../usage.ts";
import { isErrorAnswer } from "./error.ts";
import { readUsage } from "./usage.ts";

/** Bytes of chat (and text completion) streams, looked at without decoding what needs no look. */

export const DONE_EVENT = "data: [DONE]\n\n";

const BRACKET = 93;
const LF = 10;

/** Whether a block of whole events holds a usage object (`"usage":null` is none). */
export const mentionsUsage = (block: Buffer): boolean => block.includes('"usage":{') || block.includes('"usage": {');

/** Where in a block of whole events the closing `[DONE]` event begins; -1 without one. */
export function doneEventStart(block: Buffer): number {
  let end = block.length;
  while (end > 0 && (block[end - 1] ?? 0) <= 32) end -= 1;
  if (block[end - 1] !== BRACKET || block.toString("latin1", Math.max(0, end - 6), end) !== "[DONE]") return -1;
  return block.lastIndexOf(LF, end - 6) + 1;
}

/** The parsed chunk of an event; null when it carries none (comment, [DONE], no JSON object). */
export function chunkOf(event: string): JsonObject | null {
  const data = eventData(event);
  return data === null || data === "[DONE]" ? null : recordOf(parseJson(data));
}

/**
 * Usage that a block of whole events reports (the last one counts), and the block without the events that hold nothing
 * else, unless they are to be kept: these are cut out in place. Only events that mention usage are looked into.
 */
export function readUsageEvents(block: Buffer, keepUsageOnly: boolean): { usage: ReportedUsage | null; block: Buffer } {
  let usage: ReportedUsage | null = null;
  let kept = block;
  for (let at = nextUsage(kept, 0); at >= 0; ) {
    const start = eventStart(kept, at);
    const end = eventEnd(kept, at);
    const chunk = chunkOf(kept.toString("utf8", start, end));
    const reported = readUsage(chunk?.usage);
    usage = reported ?? usage;
    const swallowed = reported && !keepUsageOnly && Array.isArray(chunk?.choices) && chunk.choices.length === 0;
    if (swallowed) {
      kept.copyWithin(start, end);
      kept = kept.subarray(0, kept.length - (end - start));
    }
    at = nextUsage(kept, swallowed ? start : end);
  }
  return { usage, block: kept };
}

function nextUsage(block: Buffer, from: number): number {
  const tight = block.indexOf('"usage":{', from);
  return tight >= 0 ? tight : block.indexOf('"usage": {', from);
}

/** Where the event that byte `at` belongs to begins. */
function eventStart(block: Buffer, at: number): number {
  const lf = block.lastIndexOf("\n\n", at);
  if (lf >= 0) return lf + 2;
  const crlf = block.lastIndexOf("\r\n\r\n", at);
  if (crlf >= 0) return crlf + 4;
  const cr = block.lastIndexOf("\r\r", at);
  return cr >= 0 ? cr + 2 : 0;
}

/** Where the event that byte `at` belongs to ends, its empty line included. */
function eventEnd(block: Buffer, at: number): number {
  const lf = block.indexOf("\n\n", at);
  if (lf >= 0) return lf + 2;
  const crlf = block.indexOf("\r\n\r\n", at);
  if (crlf >= 0) return crlf + 4;
  const cr = block.indexOf("\r\r", at);
  return cr >= 0 ? cr + 2 : block.length;
}

/** Whether any event of the block carries a chunk (comments do not). */
export const carriesData = (block: Buffer): boolean => block.includes("data:") || block.includes("data\n");

/** The data of the first event that is an error object; null when there is none. */
export function errorEventIn(block: Buffer): string | null {
  if (!block.includes('"error"')) return null;
  for (const event of splitEvents(block.toString("utf8"))) {
    if (isErrorAnswer(chunkOf(event))) return eventData(event);
  }
  return null;
}

/** A complete answer told as a stream: one chunk with everything, one with the usage if wanted, and the end. */
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

/** The usage chunk an upstream left out, in the form of the stream's other chunks. */
export function usageEvent(firstChunk: JsonObject | null, usage: ReportedUsage): string {
  const { id, object, created, model } = firstChunk ?? {};
  const chunk = {
    id: textOf(id) ?? "",
    object: textOf(object) ?? "chat.completion.chunk",
    created: created ?? 0,
    model: textOf(model) ?? "",
    choices: [],
    usage: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
    },
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
