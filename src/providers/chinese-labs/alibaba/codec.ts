import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import { type Reply, ReplyCollector } from "../../../formats/conversation/collect-reply.ts";
import type { ReplyEvent, StreamDecoder, WireEvent } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors/decode-error.ts";
import { ChatStreamDecoder } from "../../../formats/openai-chat/response/stream-decoder.ts";
import { encodeRequest } from "./encode-request.ts";

/** Reads DashScope's own stream: each event equals an OpenAI chunk. */
class DashScopeStreamDecoder implements StreamDecoder {
  readonly #chunks: ChatStreamDecoder;

  constructor(newId: (prefix: string) => string) {
    this.#chunks = new ChatStreamDecoder(newId);
  }

  get ended(): boolean {
    return this.#chunks.ended;
  }

  push({ event, data }: WireEvent): ReplyEvent[] {
    const body = recordOf(parseJson(data));
    if (!body) return [];
    const failed = event === "error" || (!recordOf(body.output) && textOf(body.code) !== null);
    const chunk = failed ? { error: { code: body.code, message: body.message } } : chunkOf(body);
    const steps = this.#chunks.push({ event: "", data: JSON.stringify(chunk) });
    if (steps.some(({ type }) => type === "finish")) this.#chunks.ended = true;
    return steps;
  }

  end(): ReplyEvent[] {
    return this.#chunks.end();
  }
}

/** Older models respond with plain text. */
function chunkOf({ output, usage, request_id }: JsonObject): JsonObject {
  const answer = recordOf(output) ?? {};
  const reported = recordsOf(answer.choices);
  const sources = recordsOf(recordOf(answer.search_info)?.search_results).map(({ url, title }) => ({
    type: "url_citation",
    url_citation: { url, title },
  }));
  const choices =
    reported.length > 0 ? reported : [{ message: { content: answer.text }, finish_reason: answer.finish_reason }];
  return {
    id: request_id,
    choices: choices.map(({ message, finish_reason, logprobs }, index) => ({
      index,
      delta: { ...deltaOf(recordOf(message) ?? {}), annotations: sources },
      logprobs,
      // Until the end, the finish reason is the string "null".
      finish_reason: finish_reason === "null" ? null : finish_reason,
    })),
    usage,
  };
}

function deltaOf(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return { ...message, content: recordsOf(content).map((part) => (part.image ? { image_url: part.image } : part)) };
}

/** Reads a complete response, which equals a stream of one event; null if it has no output. */
function decodeReply(body: JsonObject): Reply | null {
  if (!recordOf(body.output)) return null;
  let made = 0;
  // Missing ids derive from the response's own, so that they differ between turns.
  const seed = (textOf(body.request_id) ?? "").replace(/[^A-Za-z0-9]/g, "").slice(-16);
  const decoder = new DashScopeStreamDecoder((prefix) => `${prefix}${seed}${made++}`);
  const collector = new ReplyCollector();
  for (const step of decoder.push({ event: "", data: JSON.stringify(body) })) collector.push(step);
  for (const step of decoder.end()) collector.push(step);
  return collector.reply;
}

/** DashScope's own generation API (text and multimodal). */
export const dashscopeCodec: ProviderCodec = {
  dialect: "dashscope",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new DashScopeStreamDecoder(newId),
  decodeError(status, body) {
    const answer = recordOf(body);
    // Errors inside a stream also have the shape {code, message, request_id}.
    const failed = answer && !answer.output && textOf(answer.code) && textOf(answer.message) !== null;
    if (!failed) return errorOf(status, body);
    const { code, message } = answer;
    return errorOf(status < 400 ? 502 : status, { error: { type: "upstream_error", code, message } });
  },
};
