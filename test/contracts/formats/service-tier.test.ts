import { describe, expect, test } from "bun:test";
import { anthropicClientCodec } from "../../../src/formats/anthropic/index.ts";
import { stepsOf } from "../../../src/formats/conversation/collect-reply.ts";
import {
  type ChatDialect,
  type Conversation,
  emptyConversation,
} from "../../../src/formats/conversation/conversation.ts";
import type { ReplyContext, WireEvent } from "../../../src/formats/conversation/reply.ts";
import { geminiClientCodec } from "../../../src/formats/gemini/index.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../src/formats/openai-responses/index.ts";
import { codecOf } from "../../../src/providers/registry.ts";

const newId = (prefix: string) => `${prefix}1`;
const context: ReplyContext = { model: "m", requestId: "r", createdAt: 1, newId };
const usage = { input_tokens: 5, output_tokens: 3 };
const counts = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
const chatUsage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
const events = (...list: readonly object[]): WireEvent[] =>
  list.map((data) => ({ event: String((data as JsonObject).type ?? ""), data: JSON.stringify(data) }));
const frame = (event: string, data: object): WireEvent => ({ event, data: JSON.stringify(data) });

type TierSample = Readonly<{ dialect: ChatDialect; tier: string; reply: JsonObject; stream: readonly WireEvent[] }>;

const claude = (own: string, tier: string): TierSample => {
  const message = { id: "msg_1", model: "claude", usage: { ...usage, service_tier: own } };
  return {
    dialect: "anthropic",
    tier,
    reply: { ...message, content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" },
    stream: events(
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ),
  };
};
const google = (metadata: JsonObject, tier: string): TierSample => {
  const content = { role: "model", parts: [{ text: "hi" }] };
  const reply = {
    candidates: [{ index: 0, content, finishReason: "STOP" }],
    usageMetadata: { ...counts, ...metadata },
  };
  return { dialect: "gemini", tier, reply, stream: events(reply) };
};
const bedrock = (tier: string): TierSample => {
  const measured = { usage: { inputTokens: 5, outputTokens: 3 }, serviceTier: { type: tier } };
  return {
    dialect: "converse",
    tier,
    reply: { output: { message: { content: [{ text: "hi" }] } }, stopReason: "end_turn", ...measured },
    stream: [
      frame("messageStart", {}),
      frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "hi" } }),
      frame("messageStop", { stopReason: "end_turn" }),
      frame("metadata", measured),
    ],
  };
};
const chat = (tier: string): TierSample => {
  const common = { id: "c1", model: "gpt", service_tier: tier };
  const finished = { index: 0, finish_reason: "stop" };
  return {
    dialect: "openai-chat",
    tier,
    reply: { ...common, choices: [{ ...finished, message: { content: "hi" } }], usage: chatUsage },
    stream: events({ ...common, choices: [{ ...finished, delta: { content: "hi" } }] }),
  };
};
const responses = (tier: string): TierSample => {
  const content = [{ type: "output_text", text: "hi" }];
  const output = [{ type: "message", content }];
  const response = { id: "resp_1", status: "completed", output, usage, service_tier: tier };
  return {
    dialect: "openai-responses",
    tier,
    reply: response,
    stream: events({ type: "response.created", response: { id: "resp_1" } }, { type: "response.completed", response }),
  };
};

const SAMPLES: readonly TierSample[] = [
  claude("standard", "default"),
  claude("priority", "priority"),
  google({ serviceTier: "standard" }, "default"),
  google({ serviceTier: "flex" }, "flex"),
  google({ serviceTier: "priority" }, "priority"),
  google({ trafficType: "ON_DEMAND_PRIORITY" }, "priority"),
  bedrock("flex"),
  chat("priority"),
  responses("flex"),
];

/** A tier, in OpenAI's words, as each client format writes it; null: it has no word for it. */
const CLIENTS = [
  [openaiChatClientCodec, (tier: string) => tier, (answer: JsonObject) => answer.service_tier],
  [openaiResponsesClientCodec, (tier: string) => tier, (answer: JsonObject) => answer.service_tier],
  [
    anthropicClientCodec,
    (tier: string) => (tier === "default" ? "standard" : tier === "flex" ? null : tier),
    (answer: JsonObject) => recordOf(answer.usage)?.service_tier,
  ],
  [
    geminiClientCodec,
    (tier: string) => (tier === "default" ? "standard" : tier),
    (answer: JsonObject) => recordOf(answer.usageMetadata)?.serviceTier,
  ],
] as const;

const PAIRS = SAMPLES.flatMap((sample) =>
  CLIENTS.map((client) => [sample.dialect, sample.tier, client[0].dialect, sample, client] as const),
);

describe.each(PAIRS)(
  "the tier of an answer: %s's %s reported by %s",
  (_from, tier, _to, sample, [client, wordOf, tierIn]) => {
    const request: Conversation = emptyConversation(client.dialect, "m");
    const expected = wordOf(tier) ?? undefined;

    test("whole", () => {
      const reply = codecOf(sample.dialect).decodeReply(sample.reply);
      if (!reply) throw new Error("it is not read");
      const answer = client.encodeReply(reply, context, request);
      expect(tierIn(answer) ?? undefined).toBe(expected);
      expect([...stepsOf(reply)].at(-1)).toMatchObject({ type: "usage", serviceTier: tier });
    });

    test("streamed", () => {
      const decoder = codecOf(sample.dialect).streamDecoder(newId);
      const encoder = client.streamEncoder(context, { ...request, wantsUsage: false });
      let text = "";
      let usage = null;
      for (const step of [...sample.stream.flatMap((event) => decoder.push(event)), ...decoder.end()]) {
        if (step.type === "usage") usage = step.usage;
        text += encoder.push(step);
      }
      text += encoder.end(usage ?? { ...NOTHING });
      const answers = recordsOf([...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => parseJson(data)));
      const tiers = answers.flatMap((data) => {
        const found = tierIn(recordOf(data.response) ?? recordOf(data.message) ?? data);
        return found == null ? [] : [found];
      });
      // Chats that want no usage have their last chunk before Bedrock sends the tier.
      const unheard = sample.dialect === "converse" && client.dialect === "openai-chat";
      expect(tiers.at(-1)).toBe(unheard ? undefined : expected);
    });
  },
);

const NOTHING = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheCreationTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
};
