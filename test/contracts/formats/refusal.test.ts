/** A model's refusal reaches the clients of every format: as one where the format knows refusals, else as text. */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec, anthropicCodec } from "../../../src/formats/anthropic/index.ts";
import { stepsOf } from "../../../src/formats/conversation/collect-reply.ts";
import { emptyConversation } from "../../../src/formats/conversation/conversation.ts";
import type { ReplyEvent } from "../../../src/formats/conversation/reply.ts";
import { geminiClientCodec, geminiCodec } from "../../../src/formats/gemini/index.ts";
import { type JsonObject, recordOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../src/formats/openai-responses/index.ts";
import { chatStream, replyContext, stepsOfStream, written } from "../../support/formats/fixtures.ts";

const NO = "I can't help with that.";
const part = { type: "refusal", refusal: NO };
const item = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [part] };
const response = { id: "resp_1", object: "response", status: "completed", output: [item] };
const events = [
  { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
  { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I can't " },
  { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "help with that." },
  { type: "response.output_item.done", output_index: 0, item },
  { type: "response.completed", response },
];
const chunk = (delta: object, finish_reason: string | null = null): JsonObject => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason }],
});
const message = { role: "assistant", content: null, refusal: NO };
const stepsOfReply = (reply: ReturnType<typeof openaiChatCodec.decodeReply>): ReplyEvent[] =>
  reply ? [...stepsOf(reply)] : [];

const REFUSALS: readonly [string, readonly ReplyEvent[]][] = [
  [
    "a chat",
    stepsOfReply(openaiChatCodec.decodeReply({ id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] })),
  ],
  [
    "a chat's stream",
    stepsOfStream(
      openaiChatCodec,
      chatStream(chunk({ refusal: "I can't " }), chunk({ refusal: "help with that." }), chunk({}, "stop")),
    ),
  ],
  ["a response", stepsOfReply(openaiResponsesCodec.decodeReply(response))],
  [
    "a response's stream",
    stepsOfStream(openaiResponsesCodec, events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
  ],
];
const CLIENTS = [
  [openaiChatClientCodec, openaiChatCodec, "refusal"],
  [openaiResponsesClientCodec, openaiResponsesCodec, "refusal"],
  [anthropicClientCodec, anthropicCodec, "text"],
  [geminiClientCodec, geminiCodec, "text"],
] as const;

const textOfType = (steps: readonly ReplyEvent[], type: "refusal" | "text") =>
  steps.map((step) => (step.type === type ? step.text : "")).join("");

describe.each(REFUSALS)("the refusal of %s", (_name, steps) => {
  test.each(CLIENTS.map(([client, provider, type]) => [client.dialect, client, provider, type] as const))(
    "by %s",
    (_dialect, client, provider, type) => {
      expect(textOfType(steps, "refusal")).toBe(NO);
      expect(textOfType(stepsOfStream(provider, written(client, steps)), type)).toBe(NO);
      const parts = [{ type: "refusal" as const, text: NO }];
      const finish = { reason: "stop" as const, native: null, stopSequence: null };
      const choices = [{ index: 0, parts, citations: [], logprobs: null, finish }];
      const reply = { id: "", model: "m", createdAt: null, choices, usage: null, serviceTier: null };
      const body = client.encodeReply(reply, replyContext(), emptyConversation(client.dialect, "m"));
      expect(textOfType(stepsOfReply(provider.decodeReply(recordOf(body) ?? {})), type)).toBe(NO);
    },
  );
});
