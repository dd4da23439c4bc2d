import { expect, test } from "bun:test";
import { meaningOf, stepsOfStream, target } from "../../../../test/support/formats/fixtures.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { ollamaCodec } from "./ollama.ts";

test("a request: options, plain base64 images, parsed arguments, named results", () => {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "q",
    temperature: 0.2,
    max_tokens: 9,
    stop: "END",
    n: 2,
    reasoning_effort: "minimal",
    response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } },
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [{ id: "c", function: { name: "f", arguments: '{"a":1}' } }] },
      { role: "tool", tool_call_id: "c", content: "ok" },
    ],
  });
  expect(ollamaCodec.encodeRequest(conversation, target("qwen3"), dropped)).toEqual({
    model: "qwen3",
    messages: [
      { role: "user", content: "x", images: ["AAAA"] },
      { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] },
      { role: "tool", content: "ok", tool_name: "f" },
    ],
    stream: false,
    format: { type: "object" },
    options: { temperature: 0.2, num_predict: 9, stop: ["END"] },
    think: "low",
  });
  expect([...dropped]).toEqual(["n"]);
});

test("finish_reason stop although tool calls were sent (Ollama)", () => {
  const call = { function: { name: "f", arguments: { city: "Köln" } } };
  const lines = [
    {
      model: "q",
      created_at: "2026-01-02T03:04:05.6Z",
      message: { role: "assistant", content: "", thinking: "hm" },
      done: false,
    },
    { model: "q", message: { role: "assistant", content: "", tool_calls: [call, call] }, done: false },
    {
      model: "q",
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: "stop",
      prompt_eval_count: 4,
      eval_count: 2,
    },
  ];
  const steps = stepsOfStream(ollamaCodec, lines.map((line) => JSON.stringify(line)).join("\n"), "lines");
  const made = ["f", { city: "Köln" }];
  expect(meaningOf(steps)).toEqual({ text: "", thought: "hm", calls: [made, made] as never, finish: "tool_calls" });
  expect(steps.at(-1)).toMatchObject({ type: "usage", usage: { promptTokens: 4, completionTokens: 2 } });
  expect(steps[0]).toEqual({ type: "start", id: "", model: "q", createdAt: 1767323045 });
});

test("an error line in the middle of a stream", () => {
  expect(stepsOfStream(ollamaCodec, '{"error":"gone"}\n', "lines")).toMatchObject([
    { type: "error", error: { message: "gone" } },
  ]);
});
