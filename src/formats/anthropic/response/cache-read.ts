import { readEvents } from "../../../lib/http/sse.ts";
import { indexOfBytes, textOfBytes } from "../../../lib/values/bytes.ts";
import { countOf, type JsonObject, parseJson, recordOf } from "../../json.ts";

const KIMI_MEMBER = Buffer.from('"cached_tokens"');

/**
 * A complete response, or events of a stream, whose usage names cached tokens as Kimi's chats do (`cached_tokens`, part of the
 * input), with Anthropic's members for them; null: there is nothing to change.
 */
export function withCacheRead(bytes: Uint8Array): string | null {
  if (indexOfBytes(bytes, KIMI_MEMBER) < 0) return null;
  const text = textOfBytes(bytes);
  const response = recordOf(parseJson(text));
  if (response) {
    const changed = amended(response);
    return changed && JSON.stringify(changed);
  }
  let hasChanged = false;
  const events = readEvents(text).map(({ event, data }) => {
    const answer = recordOf(parseJson(data));
    const changed = answer && amended(answer);
    hasChanged ||= Boolean(changed);
    return `${event ? `event: ${event}\n` : ""}data: ${changed ? JSON.stringify(changed) : data}\n\n`;
  });
  return hasChanged ? events.join("") : null;
}

/** The usage of a response or of its last event, or in the message of the first one. */
function amended(answer: JsonObject): JsonObject | null {
  const usage = amendedUsage(recordOf(answer.usage));
  if (usage) return { ...answer, usage };
  const message = recordOf(answer.message);
  const begun = amendedUsage(recordOf(message?.usage));
  return begun && { ...answer, message: { ...message, usage: begun } };
}

function amendedUsage(usage: JsonObject | null): JsonObject | null {
  const cached = countOf(usage?.cached_tokens);
  if (!usage || !cached || countOf(usage.cache_read_input_tokens)) return null;
  const input = countOf(usage.input_tokens);
  return {
    ...usage,
    ...(input !== null && cached <= input && { input_tokens: input - cached }),
    cache_read_input_tokens: cached,
  };
}
