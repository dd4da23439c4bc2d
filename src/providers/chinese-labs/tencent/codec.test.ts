import { describe, expect, test } from "bun:test";
import {
  expectSameForClients,
  expectSense,
  meaningOf,
  stepsOfStream,
  target,
} from "../../../../test/support/formats/fixtures.ts";
import { samples } from "../../../../test/support/formats/reference.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { hunyuanCodec } from "./codec.ts";

const event = (choice: object, rest: object = {}) =>
  `data: ${JSON.stringify({ Id: "h", Choices: [choice], ...rest })}\n\n`;

test("a request in its casing: schemas as text, turns that alternate, no empty content", () => {
  const dropped = new Set<string>();
  const called = { id: "c1", type: "function", function: { name: "weather", arguments: "{}" } };
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "h",
    stream: true,
    max_tokens: 5,
    seed: 123_456,
    tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
    tool_choice: { type: "function", function: { name: "weather" } },
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: null, tool_calls: [called] },
      { role: "tool", tool_call_id: "c1", content: "rain" },
    ],
  });
  const tool = { Type: "function", Function: { Name: "weather", Parameters: '{"type":"object"}' } };
  expect(hunyuanCodec.encodeRequest(conversation, target("hunyuan-turbos"), dropped)).toEqual({
    Model: "hunyuan-turbos",
    Stream: true,
    Seed: 3456,
    Messages: [
      { Role: "system", Content: "s" },
      { Role: "user", Content: "a\nb" },
      {
        Role: "assistant",
        Content: " ",
        ToolCalls: [{ Id: "c1", Type: "function", Function: { Name: "weather", Arguments: "{}" } }],
      },
      { Role: "tool", Content: "rain", ToolCallId: "c1" },
    ],
    Tools: [tool],
    ToolChoice: "custom",
    CustomTool: tool,
  });
  expect([...dropped]).toEqual(["max_tokens"]);
});

test("a turn of which nothing is left is left out, and those around it become one", () => {
  const dropped = new Set<string>();
  const file = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } };
  const image = { type: "image_url", image_url: { url: "https://example.org/a.png" } };
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "h",
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: [file] },
      { role: "assistant", content: "c" },
      { role: "user", content: [{ type: "text", text: "d" }, image] },
      { role: "assistant", content: null, refusal: "no" },
      { role: "user", content: "e" },
    ],
  });
  const { Messages } = hunyuanCodec.encodeRequest(conversation, target("hunyuan-turbos"), dropped);
  expect(Messages).toEqual([
    { Role: "user", Content: "a" },
    { Role: "assistant", Content: "b\nc" },
    {
      Role: "user",
      Contents: [
        { Type: "text", Text: "d" },
        { Type: "image_url", ImageUrl: { Url: "https://example.org/a.png" } },
      ],
    },
    { Role: "assistant", Content: "no" },
    { Role: "user", Content: "e" },
  ]);
  expect([...dropped]).toContain("file");
});

test("calls without an index, distinguished by their ids", () => {
  const call = (Id: string, Name: string, Arguments: string) => ({
    Id,
    Type: "function",
    Function: { Name, Arguments },
  });
  const delta = (...ToolCalls: object[]) => event({ Delta: { Role: "assistant", ToolCalls }, FinishReason: "" });
  const text =
    delta(call("a", "weather", '{"city":')) +
    delta(call("a", "", '"Ghent"}')) +
    delta(call("b", "weather", "{}")) +
    event({ Delta: { Content: "" }, FinishReason: "tool_calls" });
  const steps = stepsOfStream(hunyuanCodec, text);
  expectSense(steps);
  expect(meaningOf(steps)).toEqual({
    text: "",
    thought: "",
    calls: [
      ["weather", { city: "Ghent" }],
      ["weather", {}],
    ],
    finish: "tool_calls",
  });
});

test.each([
  ["AuthFailure.SignatureFailure", 401],
  ["LimitExceeded", 429],
  ["RequestLimitExceeded", 429],
  ["InvalidParameterValue.Model", 400],
  ["FailedOperation.ResourcePackExhausted", 402],
  ["FailedOperation.ServiceNotActivated", 403],
  ["InternalError", 500],
  ["Something.New", 502],
])("%s with status 200 is a %d", (Code, status) => {
  const body = { Response: { Error: { Code, Message: "why" }, RequestId: "r" } };
  expect(hunyuanCodec.decodeError(200, body)).toMatchObject({ status, code: Code, message: "why" });
});

test("a failure in the middle of a stream is an error", () => {
  const text =
    event({ Delta: { Content: "It" }, FinishReason: "" }) + event({}, { ErrorMsg: { Msg: "fell over", Code: 4001 } });
  expect(stepsOfStream(hunyuanCodec, text).at(-1)).toMatchObject({ type: "error", error: { message: "fell over" } });
});

const streams = samples((path) => /^tencent.chat.*\.sse$/.test(path));
describe.skipIf(streams.length === 0)("recorded streams", () => {
  test.each(streams)("%s", (_path, text) => {
    const steps = stepsOfStream(hunyuanCodec, text);
    expectSense(steps);
    expectSameForClients(steps);
    expect(steps.filter(({ type }) => type === "usage").at(-1)).toMatchObject({
      usage: { promptTokens: 85, completionTokens: 7 },
    });
  });
});
