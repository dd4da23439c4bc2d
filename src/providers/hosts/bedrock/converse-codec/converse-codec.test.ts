import { describe, expect, test } from "bun:test";
import {
  expectSameForClients,
  expectSense,
  meaningOf,
  stepsOfStream,
  target,
} from "../../../../../test/support/formats/fixtures.ts";
import { samples } from "../../../../../test/support/formats/reference.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { callIdFor } from "../../../../formats/tools/tool-names.ts";
import { eventStreamToSse } from "../bedrock.ts";
import { converseCodec } from "./index.ts";

const PDF = "JVBERi0xLjQK";

test("a request: results first in their turn, documents by an allowed name, tools declared while the conversation has calls", () => {
  const dropped = new Set<string>();
  const call = { id: "call:1", type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } };
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "c",
    max_tokens: 5,
    seed: 1,
    stop: ["END", " "],
    messages: [
      { role: "system", content: "s" },
      {
        role: "user",
        content: [
          { type: "text", text: "q" },
          { type: "file", file: { filename: "a_b.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call:1", content: "rain" },
      { role: "user", content: "and?" },
    ],
  });
  expect(converseCodec.encodeRequest(conversation, target("amazon.nova-pro-v1:0"), dropped)).toEqual({
    system: [{ text: "s" }],
    messages: [
      {
        role: "user",
        content: [{ text: "q" }, { document: { format: "pdf", name: "a b", source: { bytes: PDF } } }],
      },
      {
        role: "assistant",
        content: [
          { toolUse: { toolUseId: callIdFor("converse", "call:1"), name: "weather", input: { city: "Ghent" } } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: callIdFor("converse", "call:1"), content: [{ text: "rain" }] } },
          { text: "and?" },
        ],
      },
    ],
    inferenceConfig: { maxTokens: 5, stopSequences: ["END"] },
    toolConfig: { tools: [{ toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } }] },
  });
  expect([...dropped]).toEqual(["seed"]);
});

test("usage may come before the end; cache reads and writes are in the prompt", () => {
  const text = [
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "x" } }],
    [
      "metadata",
      {
        usage: { inputTokens: 5, outputTokens: 3, totalTokens: 18, cacheReadInputTokens: 8, cacheWriteInputTokens: 2 },
      },
    ],
    ["messageStop", { stopReason: "max_tokens" }],
  ]
    .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    .join("");
  const steps = stepsOfStream(converseCodec, text);
  expect(meaningOf(steps)).toMatchObject({ text: "x", finish: "length" });
  expect(steps.find(({ type }) => type === "usage")).toMatchObject({
    usage: { promptTokens: 15, cachedTokens: 8, cacheCreationTokens: 2, completionTokens: 3 },
  });
});

test("Claude's signed reasoning returns to Claude unchanged, any other is dropped and named", () => {
  const thought = { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } };
  const body = {
    output: { message: { role: "assistant", content: [thought, { text: "x" }] } },
    stopReason: "end_turn",
  };
  const parts = converseCodec.decodeReply(body)?.choices[0]?.parts ?? [];
  const conversation = openaiChatClientCodec.decodeRequest({ model: "c", messages: [{ role: "user", content: "q" }] });
  conversation.turns.push({ role: "assistant", parts });
  conversation.turns.push({ role: "assistant", parts: [{ type: "reasoning", text: "unsigned" }] });
  const encode = (model: string) => {
    const dropped = new Set<string>();
    const { messages } = converseCodec.encodeRequest(conversation, target(model), dropped);
    return { messages, dropped: [...dropped] };
  };
  const question = { role: "user", content: [{ text: "q" }] };
  expect(encode("us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toEqual({
    messages: [question, { role: "assistant", content: [thought, { text: "x" }] }],
    dropped: ["reasoning"],
  });
  expect(encode("amazon.nova-pro-v1:0")).toEqual({
    messages: [question, { role: "assistant", content: [{ text: "x" }] }],
    dropped: ["reasoning"],
  });
});

const streams = samples((path) => /^bedrock.converse.*\.eventstream\.b64$/.test(path));
const answers = samples((path) => /^bedrock.converse.*\.response\.json$/.test(path));

describe.skipIf(streams.length + answers.length === 0)("recorded answers", () => {
  test.each(streams)("%s", async (_path, text) => {
    const bytes = Buffer.from(text, "base64");
    const stream = new Response(bytes).body?.pipeThrough(new TransformStream(eventStreamToSse()));
    const steps = stepsOfStream(converseCodec, await new Response(stream).text());
    expectSense(steps);
    expectSameForClients(steps);
    expect(meaningOf(steps).calls).toEqual([["get_weather", { location: "Barcelona" }]]);
  });

  test.each(answers)("%s", (_path, text) => {
    const reply = converseCodec.decodeReply(JSON.parse(text));
    expect(reply?.choices[0]?.parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call"]);
    expect(reply?.usage).toMatchObject({ promptTokens: 397, completionTokens: 130 });
  });
});
