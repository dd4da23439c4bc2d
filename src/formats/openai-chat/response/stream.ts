import { eventData, eventEnd, eventStart, splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Usage } from "../../conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../json.ts";
import { isErrorAnswer } from "../errors.ts";
import { mayContainError, USAGE_FIGURE } from "./inspect.ts";
import { collectOutput } from "./output.ts";
import { isPlaceholder, readUsage, usageIn } from "./usage.ts";

/** Reads chat (and text completion) streams as bytes, and decodes only the events that matter. */

export const DONE_EVENT = "data: [DONE]\n\n";

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
  block: Buffer,
  keepUsageOnly: boolean,
): { usage: Usage | null; isStandard: boolean; block: Buffer } {
  let usage: Usage | null = null;
  let isStandard = false;
  let remaining = block;
  for (let at = remaining.indexOf(USAGE_FIGURE); at >= 0; ) {
    const start = eventStart(remaining, at);
    const end = eventEnd(remaining, at);
    const chunk = chunkOf(remaining.toString("utf8", start, end));
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
    at = remaining.indexOf(USAGE_FIGURE, swallowed ? start : end);
  }
  return { usage, isStandard, block: remaining };
}

/** The data of the first event of a block that is an error object; null: none, or content precedes it where that ends the search. */
export function errorEventIn(block: Buffer, beforeContent = false): string | null {
  if (!mayContainError(block)) return null;
  for (const event of splitEvents(textOfBytes(block))) {
    const chunk = chunkOf(event);
    if (isErrorAnswer(chunk)) return eventData(event);
    if (beforeContent && carriesContent(chunk)) return null;
  }
  return null;
}

/** Whether any event of the block has content. */
export const beginsContent = (block: Buffer): boolean =>
  splitEvents(textOfBytes(block)).some((event) => carriesContent(chunkOf(event)));

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
