/** Whatever an upstream's stream does to its tool calls, clients get whole calls with a name and arguments that are JSON, or an error. */
import { describe, expect, test } from "bun:test";
import { anthropicClientCodec, anthropicCodec } from "../../../src/formats/anthropic/index.ts";
import type { ClientCodec } from "../../../src/formats/conversation/codec.ts";
import type { ReplyEvent } from "../../../src/formats/conversation/reply.ts";
import { geminiClientCodec, geminiCodec } from "../../../src/formats/gemini/index.ts";
import { type JsonObject, recordOf } from "../../../src/formats/json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec, openaiResponsesCodec } from "../../../src/formats/openai-responses/index.ts";
import {
  chatStream,
  dataOf,
  expectSameForClients,
  expectSense,
  meaningOf,
  stepsOfStream,
  written,
} from "../../support/formats/fixtures.ts";

const events = (...list: JsonObject[]): string => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const CLIENTS: readonly ClientCodec[] = [
  openaiChatClientCodec,
  openaiResponsesClientCodec,
  anthropicClientCodec,
  geminiClientCodec,
];

describe("arguments of Gemini's calls in pieces", () => {
  const piece = (functionCall: JsonObject, more: JsonObject = {}, finishReason?: string) => ({
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: [{ functionCall, ...more }] },
        ...(finishReason && { finishReason }),
      },
    ],
  });
  const text = (jsonPath: string, stringValue: string, willContinue = false) => ({
    jsonPath,
    stringValue,
    ...(willContinue && { willContinue }),
  });
  const more = (...partialArgs: JsonObject[]) => piece({ partialArgs, willContinue: true });

  test("are one call with all of them, and signed", () => {
    const stream = events(
      piece({ name: "weather", id: "fc_1", willContinue: true }, { thoughtSignature: "c2ln" }),
      more(text("$.location", "New ", true)),
      more(text("$.location", "Delhi 🌧")),
      more({ jsonPath: "$.days[1].hour", numberValue: 7 }, { jsonPath: "$.days[0]['in \\'C\\'']", boolValue: true }),
      more(
        { jsonPath: '$["zip.code"]', nullValue: "NULL_VALUE" },
        { jsonPath: "$.__proto__.polluted", boolValue: true },
      ),
      piece({}),
      piece({ name: "weather", partialArgs: [text("$.location", "Ghent")] }),
      piece({ name: "wait", args: { for: 2 } }, {}, "STOP"),
    );
    const steps = stepsOfStream(geminiCodec, stream);
    expectSense(steps);
    expect(steps[1]).toMatchObject({ type: "tool-start", id: "fc_1", signature: { dialect: "gemini", value: "c2ln" } });
    const { calls, finish } = meaningOf(steps);
    expect(finish).toBe("tool_calls");
    expect(calls.map(([name]) => name)).toEqual(["weather", "weather", "wait"]);
    expect(JSON.stringify(calls[0]?.[1])).toBe(
      '{"location":"New Delhi 🌧","days":[{"in \'C\'":true},{"hour":7}],"zip.code":null,"__proto__":{"polluted":true}}',
    );
    expect(({} as JsonObject).polluted).toBeUndefined();
    expect(calls.slice(1).map(([, input]) => input)).toEqual([{ location: "Ghent" }, { for: 2 }]);
    expectSameForClients(steps);
  });

  test("that never end are complete with the answer; pieces of no call, and nonsense, are left out", () => {
    const strange = ["", "location", "$", "$.a[99999999]", "$..", "$[", "$.a".repeat(80), "$[0]"];
    const stream = events(
      piece({ partialArgs: [text("$.lost", "x")], willContinue: true }),
      piece({ name: "f", willContinue: true }),
      more(...strange.map((path) => text(path, "x"))),
      more(text("$.a", "1"), text("$.a.b", "2"), text("$.a[0]", "3")),
      { candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" }] },
    );
    const steps = stepsOfStream(geminiCodec, stream);
    expectSense(steps);
    expect(meaningOf(steps).calls.map(([name]) => name)).toEqual(["f"]);
    expectSameForClients(steps);
  });
});

describe("a call of a custom tool that the client never declared", () => {
  const SQL = 'SELECT "a", \'ü\' FROM t WHERE x = "\\n" -- 🌧';
  const item = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "sql" };
  const deltas = [...SQL].map((delta) => ({ type: "response.custom_tool_call_input.delta", output_index: 0, delta }));
  const done = { ...item, input: SQL, status: "completed" };
  const stream = events(
    { type: "response.created", response: { id: "resp_1" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, input: "" } },
    ...deltas,
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [done] } },
  );

  test("is JSON for Anthropic's clients, streamed and whole", () => {
    const steps = stepsOfStream(openaiResponsesCodec, stream);
    expect(meaningOf(stepsOfStream(anthropicCodec, written(anthropicClientCodec, steps))).calls).toEqual([
      ["sql", { input: SQL }],
    ]);
    const halves = ["\ud83c", "\udf27"].map(
      (half): ReplyEvent => ({ type: "tool-input", choice: 0, index: 0, text: half }),
    );
    const [start] = steps.filter(({ type }) => type === "tool-start");
    if (!start) throw new Error("no call was begun");
    const pieces = written(anthropicClientCodec, [
      start,
      ...halves,
      { type: "finish", choice: 0, reason: "tool_calls", native: null },
    ]);
    expect(meaningOf(stepsOfStream(anthropicCodec, pieces)).calls).toEqual([["sql", { input: "🌧" }]]);
    const none = written(anthropicClientCodec, [
      start,
      { type: "finish", choice: 0, reason: "tool_calls", native: null },
    ]);
    expect(meaningOf(stepsOfStream(anthropicCodec, none)).calls).toEqual([["sql", { input: "" }]]);
  });
});

test.each([
  ["a bare word", "Ghent", { input: "Ghent" }],
  ["a list", '["Ghent"]', { input: '["Ghent"]' }],
  ["an object encoded twice", JSON.stringify('{"city":"Ghent"}'), { city: "Ghent" }],
  ["blanks before an object", ' \n {"city":"Ghent"}', { city: "Ghent" }],
  ["nothing", "", {}],
])("arguments that are %s are an object for Anthropic's clients", (_, input, expected) => {
  const pieces = [...input].map((text): ReplyEvent => ({ type: "tool-input", choice: 0, index: 0, text }));
  const steps: ReplyEvent[] = [
    { type: "tool-start", choice: 0, index: 0, id: "call_1", name: "f", kind: "function" },
    ...pieces,
    { type: "finish", choice: 0, reason: "tool_calls", native: null },
  ];
  expect(meaningOf(stepsOfStream(anthropicCodec, written(anthropicClientCodec, steps))).calls).toEqual([
    ["f", expected],
  ]);
});

describe("calls without a name", () => {
  test("wait for it in a chat, and are left out where none comes", () => {
    const chunk = (tool_calls: JsonObject[], finish_reason: string | null = null) => ({
      id: "c",
      choices: [{ index: 0, delta: { tool_calls }, finish_reason }],
    });
    const steps = stepsOfStream(
      openaiChatCodec,
      chatStream(
        chunk([{ index: 0, function: { arguments: '{"a":' } }]),
        chunk([{ index: 1, id: "call_x", function: { arguments: "{}" } }]),
        chunk([{ index: 0, id: "call_1", function: { name: "f", arguments: "1" } }]),
        chunk([{ index: 0, function: { arguments: "}" } }], "tool_calls"),
      ),
    );
    expectSense(steps);
    expect(steps.find(({ type }) => type === "tool-start")).toMatchObject({ id: "call_1", name: "f" });
    expect(meaningOf(steps).calls).toEqual([["f", { a: 1 }]]);
    expectSameForClients(steps);
  });

  test("wait for the end of their item in Responses", () => {
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "" };
    const complete = { ...item, name: "f", arguments: '{"a":1}' };
    const lost = { ...item, id: "fc_2", call_id: "call_2", arguments: "{}" };
    const steps = stepsOfStream(
      openaiResponsesCodec,
      events(
        { type: "response.created", response: { id: "resp_1" } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":1}' },
        { type: "response.output_item.done", output_index: 0, item: complete },
        { type: "response.completed", response: { id: "resp_1", status: "completed", output: [complete, lost] } },
      ),
    );
    expectSense(steps);
    expect(meaningOf(steps).calls).toEqual([["f", { a: 1 }]]);
    expect(openaiResponsesCodec.decodeReply({ output: [lost] })?.choices[0]?.parts ?? []).toEqual([]);
  });

  test("are left out of Anthropic's and Gemini's answers", () => {
    const block = { type: "tool_use", id: "toolu_1", name: "", input: {} };
    const steps = stepsOfStream(
      anthropicCodec,
      events(
        { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 1 } } },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ),
    );
    expectSense(steps);
    expect(meaningOf(steps).calls).toEqual([]);
    expect(anthropicCodec.decodeReply({ content: [block] })?.choices[0]?.parts).toEqual([]);
    const parts = [{ functionCall: { args: {} } }];
    expect(geminiCodec.decodeReply({ candidates: [{ content: { parts } }] })?.choices[0]?.parts ?? []).toEqual([]);
  });
});

describe("a second message inside the stream of one", () => {
  const start = {
    type: "message_start",
    message: { id: "msg_1", model: "m", usage: { input_tokens: 5, output_tokens: 1 } },
  };
  const call = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
  const cut = {
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"value":"Spark' },
  };

  test("is an error inside a block: no client takes the broken call for a whole one", () => {
    const steps = stepsOfStream(
      anthropicCodec,
      events(start, { type: "content_block_start", index: 0, content_block: call }, cut, start),
    );
    expect(steps.at(-1)).toMatchObject({ type: "error", error: { status: 502 } });
    for (const client of CLIENTS) {
      const encoder = client.streamEncoder(
        { model: "m", requestId: "r", createdAt: 1, newId: (prefix) => `${prefix}1` },
        client.decodeRequest(REQUESTS[client.dialect] ?? {}),
      );
      const streamed = steps.map((step) => encoder.push(step)).join("");
      expect(streamed).toContain("began another message");
      for (const data of dataOf(streamed))
        expect(recordOf(recordOf(data.response)?.error) ?? data.type).not.toBe("response.completed");
    }
  });

  test("is harmless between blocks", () => {
    const steps = stepsOfStream(
      anthropicCodec,
      events(
        start,
        start,
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hi" } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
        { type: "message_stop" },
      ),
    );
    expectSense(steps);
    expect(meaningOf(steps)).toMatchObject({ text: "Hi", finish: "stop" });
  });
});

const REQUESTS: Readonly<Record<string, JsonObject>> = {
  "openai-chat": { model: "m", messages: [] },
  "openai-responses": { model: "m", input: "Hi" },
  anthropic: { model: "m", messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

test("a turn that Anthropic paused is reported as cut off, so that no other client takes it for complete", () => {
  const steps = stepsOfStream(
    anthropicCodec,
    events(
      { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Let me search" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "pause_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ),
  );
  const [chat, responses, messages, gemini] = CLIENTS.map((client) => written(client, steps));
  expect(chat).toContain('"finish_reason":"length"');
  const last = dataOf(responses ?? "").at(-1);
  expect(last).toMatchObject({
    type: "response.incomplete",
    response: { incomplete_details: { reason: "max_output_tokens" } },
  });
  expect(messages).toContain('"stop_reason":"pause_turn"');
  expect(gemini).toContain('"finishReason":"MAX_TOKENS"');
});
