import type { ProviderCodec } from "../../../../formats/conversation/codec.ts";
import { type Reply, ReplyCollector } from "../../../../formats/conversation/collect-reply.ts";
import {
  finishAfter,
  type Processing,
  type ReplyEvent,
  type StreamDecoder,
  type Usage,
  type WireEvent,
} from "../../../../formats/conversation/reply.ts";
import { finishReasonOf } from "../../../../formats/helpers/finish-reasons.ts";
import {
  countOf,
  type JsonObject,
  numberOf,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
} from "../../../../formats/json.ts";
import { errorOf } from "../../../../formats/openai-chat/errors.ts";
import { encodeRequest } from "./encode-request.ts";

/** Reads Bedrock's ConverseStream; the event name comes from the frame. */
class ConverseStreamDecoder implements StreamDecoder {
  /** Number of the call by content block. */
  #calls = new Map<number, number>();
  #stopped = false;
  #measured = false;

  get ended(): boolean {
    return this.#stopped && this.#measured;
  }

  push({ event, data }: WireEvent): ReplyEvent[] {
    const body = recordOf(parseJson(data));
    if (!body) return [];
    switch (event) {
      case "messageStart":
        return [{ type: "start", id: "", model: "", createdAt: null }];
      case "contentBlockStart":
        return this.open(numberOf(body.contentBlockIndex) ?? 0, recordOf(recordOf(body.start)?.toolUse));
      case "contentBlockDelta":
        return this.#delta(numberOf(body.contentBlockIndex) ?? 0, recordOf(body.delta) ?? {});
      case "messageStop":
        return this.stop(textOf(body.stopReason));
      case "metadata": {
        this.#measured = true;
        const usage = usageOf(body.usage);
        return usage ? [{ type: "usage", usage, ...tierOf(body) }] : [];
      }
      default: {
        const error = errorOf(200, body);
        return error ? [{ type: "error", error }] : [];
      }
    }
  }

  end(): ReplyEvent[] {
    return [];
  }

  open(block: number, call: JsonObject | null): ReplyEvent[] {
    if (!call) return [];
    const index = this.#calls.size;
    this.#calls.set(block, index);
    const id = textOf(call.toolUseId) ?? "";
    return [{ type: "tool-start", choice: 0, index, id, name: textOf(call.name) ?? "", kind: "function" }];
  }

  stop(native: string | null): ReplyEvent[] {
    if (this.#stopped) return [];
    this.#stopped = true;
    const reason = finishAfter(finishReasonOf("converse", native ?? "end_turn"), this.#calls.size);
    return [{ type: "finish", choice: 0, reason, native }];
  }

  #delta(block: number, { text, toolUse, reasoningContent }: JsonObject): ReplyEvent[] {
    const content = textOf(text);
    if (content) return [{ type: "text", choice: 0, text: content }];
    const input = textOf(recordOf(toolUse)?.input);
    const index = this.#calls.get(block);
    if (input && index !== undefined) return [{ type: "tool-input", choice: 0, index, text: input }];
    return reasoningSteps(recordOf(reasoningContent) ?? {});
  }
}

function reasoningSteps({ text, signature, redactedContent }: JsonObject): ReplyEvent[] {
  const thought = textOf(text);
  const proof = textOf(signature);
  const hidden = textOf(redactedContent);
  const signed = (value: string, encrypted: boolean): ReplyEvent => ({
    type: "signature",
    choice: 0,
    // Only Claude signs its reasoning here, as it does everywhere.
    signature: { dialect: "anthropic", value },
    ...(encrypted && { encrypted }),
  });
  return [
    ...(thought ? [{ type: "reasoning", choice: 0, text: thought } as const] : []),
    ...(proof ? [signed(proof, false)] : []),
    ...(hidden ? [signed(hidden, true)] : []),
  ];
}

/** Reads usage. Bedrock counts cache reads and writes in addition to the input. */
function usageOf(value: unknown): Usage | null {
  const usage = recordOf(value);
  const input = countOf(usage?.inputTokens);
  if (!usage || input === null) return null;
  const cachedTokens = countOf(usage.cacheReadInputTokens) ?? 0;
  const cacheCreationTokens = countOf(usage.cacheWriteInputTokens) ?? 0;
  const longCacheCreationTokens = recordsOf(usage.cacheDetails)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, { inputTokens }) => sum + (countOf(inputTokens) ?? 0), 0);
  return {
    promptTokens: input + cachedTokens + cacheCreationTokens,
    completionTokens: countOf(usage.outputTokens) ?? 0,
    cachedTokens,
    cacheCreationTokens,
    ...(longCacheCreationTokens > 0 && { longCacheCreationTokens }),
    reasoningTokens: 0,
    audioInputTokens: 0,
    audioOutputTokens: 0,
  };
}

/** Bedrock has OpenAI's service tiers, one of capacity that is paid ahead, and a latency that costs more. */
function tierOf({ serviceTier, performanceConfig }: JsonObject): Processing {
  const type = textOf(recordOf(serviceTier)?.type);
  const latency = textOf(recordOf(performanceConfig)?.latency);
  return {
    ...(type !== null && { serviceTier: type === "reserved" ? "provisioned" : type }),
    ...(latency !== null && latency !== "standard" && { speed: latency }),
  };
}

/** Reads a complete Converse response; null if it has no message. */
function decodeReply(body: JsonObject): Reply | null {
  const message = recordOf(recordOf(body.output)?.message);
  if (!message) return null;
  const decoder = new ConverseStreamDecoder();
  const collector = new ReplyCollector();
  const steps: ReplyEvent[] = [];
  for (const [at, block] of recordsOf(message.content).entries()) {
    const text = textOf(block.text);
    if (text) steps.push({ type: "text", choice: 0, text });
    const thought = recordOf(block.reasoningContent);
    if (thought)
      steps.push(...reasoningSteps({ ...recordOf(thought.reasoningText), redactedContent: thought.redactedContent }));
    const call = recordOf(block.toolUse);
    for (const step of decoder.open(at, call)) {
      steps.push(step);
      if (step.type === "tool-start") {
        const input = JSON.stringify(call?.input ?? {});
        steps.push({ type: "tool-input", choice: 0, index: step.index, text: input });
      }
    }
  }
  const usage = usageOf(body.usage);
  steps.push(...decoder.stop(textOf(body.stopReason)));
  if (usage) steps.push({ type: "usage", usage, ...tierOf(body) });
  for (const step of steps) collector.push(step);
  return collector.reply;
}

/** Bedrock's Converse API: one format for models of every family. */
export const converseCodec: ProviderCodec = {
  dialect: "converse",
  encodeRequest,
  decodeReply,
  streamDecoder: () => new ConverseStreamDecoder(),
  decodeError(status, body) {
    // Errors have only a message, in either casing.
    const answer = recordOf(body);
    const message = textOf(answer?.message) ?? textOf(answer?.Message);
    if (message !== null && !answer?.output) return errorOf(status < 400 ? 502 : status, { message });
    return errorOf(status, body);
  },
};
