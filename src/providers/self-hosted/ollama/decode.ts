import { type Reply, ReplyCollector } from "../../../formats/conversation/collect-reply.ts";
import type { ReplyEvent, StreamDecoder, WireEvent } from "../../../formats/conversation/reply.ts";
import { countOf, type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { ChatStreamDecoder } from "../../../formats/openai-chat/response/stream-decoder.ts";

/** Reads a stream of Ollama's own chat: each line equals an OpenAI chunk. */
export class OllamaStreamDecoder implements StreamDecoder {
  readonly #chunks: ChatStreamDecoder;
  #calls = 0;

  constructor(newId: (prefix: string) => string) {
    this.#chunks = new ChatStreamDecoder(newId);
  }

  get ended(): boolean {
    return this.#chunks.ended;
  }

  push({ data }: WireEvent): ReplyEvent[] {
    const line = recordOf(parseJson(data));
    if (!line) return [];
    const chunk = textOf(line.error) === null ? this.#chunkOf(line) : line;
    const steps = this.#chunks.push({ event: "", data: JSON.stringify(chunk) });
    if (line.done === true) this.#chunks.ended = true;
    return steps;
  }

  end(): ReplyEvent[] {
    return this.#chunks.end();
  }

  #chunkOf(line: JsonObject): JsonObject {
    const message = recordOf(line.message) ?? {};
    // Calls arrive complete, mostly without an id and never with an index.
    const calls = recordsOf(message.tool_calls).map((call) => ({ ...call, index: this.#calls++ }));
    const delta = { content: message.content, reasoning: message.thinking, tool_calls: calls };
    const created = Math.floor(Date.parse(textOf(line.created_at) ?? "") / 1000);
    const finish = line.done === true ? (textOf(line.done_reason) ?? "stop") : null;
    return {
      model: line.model,
      created: Number.isNaN(created) ? null : created,
      choices: [{ index: 0, delta, logprobs: { content: line.logprobs }, finish_reason: finish }],
      // Without the prompt's count (the prompt was cached) usage is unknown rather than small.
      usage: { prompt_tokens: countOf(line.prompt_eval_count), completion_tokens: countOf(line.eval_count) ?? 0 },
    };
  }
}

/** Reads a complete response, which equals a stream of one line; null if it has no message. */
export function decodeReply(body: JsonObject): Reply | null {
  if (!recordOf(body.message)) return null;
  let made = 0;
  // Ids derive from the time, so that they differ between turns.
  const seed = (textOf(body.created_at) ?? "").replace(/\D/g, "");
  const decoder = new OllamaStreamDecoder((prefix) => `${prefix}${seed}${made++}`);
  const collector = new ReplyCollector();
  for (const step of decoder.push({ event: "", data: JSON.stringify(body) })) collector.push(step);
  for (const step of decoder.end()) collector.push(step);
  return collector.reply;
}
