import { expect, test } from "bun:test";
import { meaningOf, stepsOfStream, target } from "../../../../test/support/formats/fixtures.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { dashscopeCodec } from "./codec.ts";

test("a request: input and parameters, ranges respected, parts named by their kind", () => {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "q",
    stream: true,
    temperature: 2,
    top_p: 1,
    thinking: { type: "enabled", budget_tokens: 500 },
    user: "u",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url: "https://a/b.png" } },
        ],
      },
    ],
  });
  expect(dashscopeCodec.encodeRequest(conversation, target("qwen3-vl-plus"), dropped)).toEqual({
    model: "qwen3-vl-plus",
    input: { messages: [{ role: "user", content: [{ text: "x" }, { image: "https://a/b.png" }] }] },
    parameters: {
      result_format: "message",
      incremental_output: true,
      temperature: 1.99,
      top_p: 0.999,
      enable_thinking: true,
      thinking_budget: 500,
    },
  });
  expect([...dropped]).toEqual(["user"]);
});

test('a stream without spaces after the colon, with the reason "null" until the end', () => {
  const event = (output: object) =>
    `id:1\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify({ output, usage: { input_tokens: 3, output_tokens: 1 }, request_id: "r" })}\n\n`;
  const message = (piece: object, finish_reason: string) => ({
    choices: [{ message: { role: "assistant", ...piece }, finish_reason }],
  });
  const text =
    event(message({ content: "", reasoning_content: "hm" }, "null")) +
    event(message({ content: [{ text: "yes" }] }, "null")) +
    event(message({ content: "" }, "length"));
  const steps = stepsOfStream(dashscopeCodec, text);
  expect(meaningOf(steps)).toEqual({ thought: "hm", text: "yes", calls: [], finish: "length" });
  expect(steps.filter(({ type }) => type === "finish")).toHaveLength(1);
});

test("errors, also in the middle of a stream", () => {
  const body = { code: "Throttling.RateQuota", message: "slow", request_id: "r" };
  expect(dashscopeCodec.decodeError(429, body)).toMatchObject({
    status: 429,
    code: "Throttling.RateQuota",
    message: "slow",
  });
  expect(
    stepsOfStream(dashscopeCodec, `event:error\n:HTTP_STATUS/429\ndata:${JSON.stringify(body)}\n\n`),
  ).toMatchObject([{ type: "error", error: { message: "slow", status: 429 } }]);
  expect(dashscopeCodec.decodeError(200, { output: { text: "x" }, request_id: "r" })).toBeNull();
});
