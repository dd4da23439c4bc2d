import { expect, test } from "bun:test";
import { meaningOf, stepsOfStream, target } from "../../../../test/support/formats/fixtures.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { ernieCodec } from "./ernie-codec.ts";

test("an odd number of messages, the user's first and last; system apart; limits respected", () => {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "e",
    temperature: 0,
    max_tokens: 1,
    n: 2,
    messages: [
      { role: "system", content: "s" },
      { role: "assistant", content: "Hello" },
    ],
  });
  expect(ernieCodec.encodeRequest(conversation, target("ERNIE-4.0-8K"), dropped)).toEqual({
    messages: [
      { role: "user", content: "..." },
      { role: "assistant", content: "Hello" },
      { role: "user", content: "..." },
    ],
    system: "s",
    temperature: 0.01,
    max_output_tokens: 2,
  });
  expect([...dropped]).toEqual(["n", "max_tokens"]);
});

test("a call and its result, as functions", () => {
  const call = { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } };
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "e",
    tools: [
      { type: "function", function: { name: "weather", description: "Tells it.", parameters: { type: "object" } } },
    ],
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "rain" },
    ],
  });
  expect(ernieCodec.encodeRequest(conversation, target("ERNIE-4.0-8K"), new Set())).toEqual({
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: "", function_call: { name: "weather", arguments: '{"city":"Ghent"}' } },
      { role: "function", name: "weather", content: "rain" },
    ],
    functions: [{ name: "weather", description: "Tells it.", parameters: { type: "object" } }],
  });
});

test("a call in an answer", () => {
  const body = {
    id: "as-1",
    result: "",
    function_call: { name: "weather", arguments: '{"city":"Ghent"}', thoughts: "…" },
    usage: { prompt_tokens: 5, total_tokens: 9 },
  };
  const reply = ernieCodec.decodeReply(body);
  expect(reply?.choices[0]).toMatchObject({
    parts: [{ type: "tool-call", name: "weather", input: '{"city":"Ghent"}' }],
    finish: { reason: "tool_calls" },
  });
  expect(reply?.usage).toMatchObject({ promptTokens: 5, completionTokens: 4 });
});

test.each([
  [{ is_truncated: true }, "length"],
  [{ need_clear_history: true }, "content_filter"],
  [{ finish_reason: "normal" }, "stop"],
])("%o ends with %s", (end, finish) => {
  const text = `data: ${JSON.stringify({ id: "a", is_end: true, result: "x", ...end })}\n\n`;
  expect(meaningOf(stepsOfStream(ernieCodec, text))).toMatchObject({ text: "x", finish });
});

test.each([
  [110, 401],
  [18, 429],
  [336003, 400],
  [336100, 503],
  [999999, 502],
])("error %d with status 200 is a %d", (error_code, status) => {
  expect(ernieCodec.decodeError(200, { error_code, error_msg: "why" })).toMatchObject({ status, message: "why" });
});
