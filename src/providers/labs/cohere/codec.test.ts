import { expect, test } from "bun:test";
import { meaningOf, stepsOfStream, target } from "../../../../test/support/formats/fixtures.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { cohereCodec } from "./codec.ts";

const encode = (body: JsonObject, model = "command-a-03-2025") => {
  const dropped = new Set<string>();
  const sent = cohereCodec.encodeRequest(
    openaiChatClientCodec.decodeRequest({ model, messages: [], ...body }),
    target(model),
    dropped,
  );
  return { sent, dropped: [...dropped].sort() };
};
const stream = (...events: JsonObject[]) =>
  stepsOfStream(
    cohereCodec,
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );

test("values outside Cohere's ranges are clamped, unknown ones reported", () => {
  const { sent, dropped } = encode({
    temperature: 1.7,
    top_p: 1,
    top_k: 900,
    frequency_penalty: -1,
    stop: ["a", "b"],
    n: 2,
    user: "u",
  });
  expect(sent).toEqual({
    model: "command-a-03-2025",
    messages: [],
    stop_sequences: ["a", "b"],
    temperature: 1,
    p: 0.99,
    k: 500,
    frequency_penalty: 0,
  });
  expect(dropped).toEqual(["n", "user"]);
});

test("a named tool is the only one sent, and required", () => {
  const tools = ["f", "g"].map((name) => ({
    type: "function",
    function: { name, parameters: { type: "object" }, strict: true },
  }));
  const { sent } = encode({ tools, tool_choice: { type: "function", function: { name: "g" } } });
  expect(sent).toMatchObject({ tool_choice: "REQUIRED", tools: [{ function: { name: "g" } }] });
  expect(encode({ tools, tool_choice: "auto" }).sent.tool_choice).toBeUndefined();
});

test("only reasoning models receive reasoning options", () => {
  expect(encode({ reasoning_effort: "none" }, "command-a-reasoning-08-2025").sent.thinking).toEqual({
    type: "disabled",
  });
  expect(encode({ reasoning_effort: "high" }).sent.thinking).toBeUndefined();
});

test("the plan is reasoning, null arguments are none, all tokens count", () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: "null" } };
  const reply = cohereCodec.decodeReply({
    id: "r",
    finish_reason: "TOOL_CALL",
    message: { role: "assistant", tool_plan: "I look", tool_calls: [call] },
    usage: {
      billed_units: { input_tokens: 2, output_tokens: 1 },
      tokens: { input_tokens: 90, output_tokens: 9 },
      cached_tokens: 7,
    },
  });
  expect(reply?.choices[0]).toMatchObject({
    parts: [
      { type: "reasoning", text: "I look" },
      { type: "tool-call", input: "" },
    ],
    finish: { reason: "tool_calls", native: "TOOL_CALL" },
  });
  expect(reply?.usage).toMatchObject({ promptTokens: 90, completionTokens: 9, cachedTokens: 7 });
});

test("a stream is read until message-end", () => {
  const content = (piece: JsonObject) => ({ type: "content-delta", index: 0, delta: { message: { content: piece } } });
  const steps = stream(
    { type: "message-start", id: "r", delta: { message: { role: "assistant" } } },
    content({ thinking: "hm" }),
    content({ text: "yes" }),
    {
      type: "message-end",
      delta: { finish_reason: "MAX_TOKENS", usage: { tokens: { input_tokens: 1, output_tokens: 2 } } },
    },
  );
  expect(meaningOf(steps)).toEqual({ thought: "hm", text: "yes", calls: [], finish: "length" });
});

test("a stream that ends with a failure is an error", () => {
  const steps = stream({ type: "message-end", delta: { finish_reason: "ERROR", error: "out of memory" } });
  expect(steps).toMatchObject([{ type: "error", error: { message: "out of memory" } }]);
  expect(cohereCodec.decodeError(400, { message: "bad" })).toMatchObject({ status: 400, message: "bad" });
  expect(cohereCodec.decodeError(200, { message: { role: "assistant" } })).toBeNull();
});
