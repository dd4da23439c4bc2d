import type { ProviderCodec } from "../../../formats/conversation/codec.ts";
import type { Reply, ReplyChoice } from "../../../formats/conversation/collect-reply.ts";
import type { Citation, Part } from "../../../formats/conversation/conversation.ts";
import {
  finishAfter,
  type ReplyEvent,
  type StreamDecoder,
  type Usage,
  type WireEvent,
} from "../../../formats/conversation/reply.ts";
import { finishReasonOf } from "../../../formats/helpers/finish-reasons.ts";
import { countOf, type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest } from "./encode-request.ts";

/** Reads a stream of Cohere's chat v2. */
class CohereStreamDecoder implements StreamDecoder {
  ended = false;
  /** Number of the call by Cohere's index. */
  #calls = new Map<number, number>();
  #finished = false;

  constructor(private readonly newId: (prefix: string) => string) {}

  push({ event, data }: WireEvent): ReplyEvent[] {
    const body = recordOf(parseJson(data));
    if (!body) {
      this.ended ||= data.trim() === "[DONE]";
      return [];
    }
    const delta = recordOf(body.delta) ?? {};
    const message = recordOf(delta.message) ?? {};
    switch (textOf(body.type) ?? event) {
      case "message-start":
        return [{ type: "start", id: textOf(body.id) ?? "", model: "", createdAt: null }];
      case "content-start":
      case "content-delta":
        return contentSteps(recordOf(message.content) ?? {});
      case "tool-plan-delta":
        return reasoning(textOf(message.tool_plan));
      case "tool-call-start":
        return this.#open(numberOf(body.index) ?? this.#calls.size, recordOf(message.tool_calls) ?? {});
      case "tool-call-delta":
        return this.#input(numberOf(body.index), recordOf(recordOf(message.tool_calls)?.function)?.arguments);
      case "citation-start": {
        const citation = recordOf(message.citations);
        return citation ? [{ type: "citation", choice: 0, citation: citationOf(citation) }] : [];
      }
      case "message-end":
        return this.#end(delta);
      default:
        return textOf(body.message) === null ? [] : this.#fail(textOf(body.message));
    }
  }

  end(): ReplyEvent[] {
    return [];
  }

  #open(at: number, call: JsonObject): ReplyEvent[] {
    const index = this.#calls.size;
    this.#calls.set(at, index);
    const called = recordOf(call.function) ?? {};
    const id = textOf(call.id) || this.newId("call_");
    return [
      { type: "tool-start", choice: 0, index, id, name: textOf(called.name) ?? "", kind: "function" },
      ...this.#input(at, called.arguments),
    ];
  }

  #input(at: number | null, value: unknown): ReplyEvent[] {
    const index = at === null ? undefined : this.#calls.get(at);
    const text = argumentsOf(value);
    return index === undefined || text === "" ? [] : [{ type: "tool-input", choice: 0, index, text }];
  }

  #end(delta: JsonObject): ReplyEvent[] {
    this.ended = true;
    const error = textOf(delta.error);
    if (error) return this.#fail(error);
    if (this.#finished) return [];
    this.#finished = true;
    const usage = usageOf(delta.usage);
    const native = textOf(delta.finish_reason);
    const reason = finishAfter(finishReasonOf("cohere", native ?? "COMPLETE"), this.#calls.size);
    return [...(usage ? [{ type: "usage", usage } as const] : []), { type: "finish", choice: 0, reason, native }];
  }

  #fail(message: string | null): ReplyEvent[] {
    const error = { status: 502, type: "upstream_error", code: null, message: message ?? "", param: null };
    return [{ type: "error", error }];
  }
}

const reasoning = (text: string | null): ReplyEvent[] => (text ? [{ type: "reasoning", choice: 0, text }] : []);

function contentSteps({ text, thinking }: JsonObject): ReplyEvent[] {
  const content = textOf(text);
  return [...reasoning(textOf(thinking)), ...(content ? [{ type: "text", choice: 0, text: content } as const] : [])];
}

/** Cohere's chat v2. It resembles OpenAI's chat, so requests are encoded in that format first. */
export const cohereCodec: ProviderCodec = {
  dialect: "cohere",
  encodeRequest,
  decodeReply,
  streamDecoder: (newId) => new CohereStreamDecoder(newId),
  decodeError(status, body) {
    // In an error, `message` is a text rather than an object.
    const answer = recordOf(body);
    if (status < 400 && textOf(answer?.message) !== null) return errorOf(502, answer);
    return errorOf(status, body);
  },
};

/** Reads a complete response of Cohere's chat v2; null if it has no message. */
function decodeReply(body: JsonObject): Reply | null {
  const message = recordOf(body.message);
  if (!message) return null;
  const plan = textOf(message.tool_plan);
  const parts: Part[] = plan ? [{ type: "reasoning", text: plan }] : [];
  for (const part of recordsOf(message.content)) {
    const thought = textOf(part.thinking);
    if (thought) parts.push({ type: "reasoning", text: thought });
    const text = textOf(part.text);
    if (text) parts.push({ type: "text", text });
  }
  const calls = recordsOf(message.tool_calls);
  for (const [at, call] of calls.entries()) {
    const called = recordOf(call.function) ?? {};
    const id = textOf(call.id) || `call_${at}`;
    const name = textOf(called.name) ?? "";
    parts.push({ type: "tool-call", id, name, input: argumentsOf(called.arguments), kind: "function" });
  }
  const native = textOf(body.finish_reason);
  const choice: ReplyChoice = {
    index: 0,
    parts,
    citations: recordsOf(message.citations).map(citationOf),
    logprobs: null,
    finish: {
      reason: finishAfter(finishReasonOf("cohere", native ?? "COMPLETE"), calls.length),
      native,
      stopSequence: null,
    },
  };
  const usage = usageOf(body.usage);
  return { id: textOf(body.id) ?? "", model: "", createdAt: null, choices: [choice], usage, serviceTier: null };
}

/** Reads usage: all tokens rather than the billed ones, which leave out what Cohere adds. */
function usageOf(value: unknown): Usage | null {
  const usage = recordOf(value);
  const tokens = recordOf(usage?.tokens) ?? recordOf(usage?.billed_units);
  const promptTokens = countOf(tokens?.input_tokens);
  if (promptTokens === null) return null;
  return {
    promptTokens,
    completionTokens: countOf(tokens?.output_tokens) ?? 0,
    cachedTokens: countOf(usage?.cached_tokens) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
}

/** Reads a citation by its first source with a URL or title. */
function citationOf(citation: JsonObject): Citation {
  const documents = recordsOf(recordsOf(citation.sources).map(({ document }) => document));
  const document = documents.find(({ url, title }) => textOf(url) ?? textOf(title));
  return {
    url: textOf(document?.url),
    title: textOf(document?.title),
    citedText: textOf(citation.text),
    start: numberOf(citation.start),
    end: numberOf(citation.end),
  };
}

/** A call's arguments: nothing, or the text `null`, means none. */
const argumentsOf = (value: unknown): string => {
  const text = textOf(value) ?? "";
  return text.trim() === "null" ? "" : text;
};
