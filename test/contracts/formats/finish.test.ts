/** An answer that was cut off inside a call says that it was: half of the arguments are no call to make. */
import { expect, test } from "bun:test";
import type { ChatDialect } from "../../../src/formats/conversation/conversation.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import { stepsOfStream } from "../../support/formats/fixtures.ts";

const called = { name: "look", arguments: '{"city":"Gh' };
const chat = (native: string): JsonObject => ({
  id: "c",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: called }] },
      finish_reason: native,
    },
  ],
});
const message = (native: string): JsonObject => ({
  id: "msg_1",
  content: [{ type: "tool_use", id: "a", name: "look", input: {} }],
  stop_reason: native,
});
const cohere = (native: string): JsonObject => ({
  id: "c",
  finish_reason: native,
  message: { role: "assistant", tool_calls: [{ id: "a", type: "function", function: called }] },
});
const gemini = (native: string): JsonObject => ({
  candidates: [
    { content: { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] }, finishReason: native },
  ],
});
const converse = (native: string): JsonObject => ({
  output: { message: { role: "assistant", content: [{ toolUse: { toolUseId: "a", name: "look", input: {} } }] } },
  stopReason: native,
});

test.each<[ChatDialect, (native: string) => JsonObject, string, string]>([
  ["openai-chat", chat, "length", "length"],
  ["openai-chat", chat, "content_filter", "content_filter"],
  ["openai-chat", chat, "stop", "tool_calls"],
  ["openai-chat", chat, "unheard_of", "tool_calls"],
  ["anthropic", message, "max_tokens", "length"],
  ["anthropic", message, "refusal", "content_filter"],
  ["anthropic", message, "end_turn", "tool_calls"],
  ["cohere", cohere, "MAX_TOKENS", "length"],
  ["cohere", cohere, "COMPLETE", "tool_calls"],
  ["gemini", gemini, "MAX_TOKENS", "length"],
  ["gemini", gemini, "STOP", "tool_calls"],
  ["converse", converse, "max_tokens", "length"],
  ["converse", converse, "end_turn", "tool_calls"],
])("%s: a call and %3$s", (dialect, answer, native, reason) => {
  expect(codecOf(dialect).decodeReply(answer(native))?.choices[0]?.finish.reason).toBe(
    reason as "length" | "content_filter" | "tool_calls",
  );
});

test.each([
  ["max_tokens", "length"],
  ["tool_use", "tool_calls"],
])("a stream of Anthropic's that ends inside a call: %s", (native, reason) => {
  const events = [
    { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 1, output_tokens: 0 } } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name: "look", input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"city":"Gh' } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: native }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  expect(stepsOfStream(codecOf("anthropic"), stream)).toContainEqual(
    expect.objectContaining({ type: "finish", reason }),
  );
});
