import { expect, test } from "bun:test";
import {
  dataOf,
  meaningOf,
  NO_USAGE,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../../test/support/formats/fixtures.ts";
import { anthropicClientCodec } from "../anthropic/index.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import { type JsonObject, recordOf, recordsOf } from "../json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../openai-chat/index.ts";
import { openaiResponsesClientCodec as client, openaiResponsesCodec as provider } from "./index.ts";

/** Edge cases of the Responses API: https://platform.openai.com/docs/api-reference/responses. */

const stream = (...events: JsonObject[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const read = (...events: JsonObject[]) => stepsOfStream(provider, stream(...events));
const completed = (response: JsonObject = {}): JsonObject => ({
  type: "response.completed",
  response: { object: "response", status: "completed", output: [], ...response },
});
/** The items of the response that ends a stream. */
const outputOf = (text: string) => recordsOf(recordOf(dataOf(text).at(-1)?.response)?.output);
const typesOf = (text: string) => dataOf(text).map(({ type }) => type);

const start: ReplyEvent = { type: "start", id: "x", model: "m", createdAt: 5 };
const finish: ReplyEvent = { type: "finish", choice: 0, reason: "stop", native: "stop" };
const say = (text: string): ReplyEvent => ({ type: "text", choice: 0, text });
const call = (index: number): ReplyEvent[] => [
  { type: "tool-start", choice: 0, index, id: `call_${index}`, name: "f", kind: "function" },
  { type: "tool-input", choice: 0, index, text: "{}" },
];

test("thinking of an Anthropic turn never takes the tool call with it", () => {
  const conversation = anthropicClientCodec.decodeRequest({
    model: "m",
    max_tokens: 50,
    messages: [
      { role: "user", content: "x" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "tool_use", id: "t1", name: "f", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] },
    ],
  });
  const { input } = provider.encodeRequest(conversation, target("gpt-5"), new Set());
  expect(input).toMatchObject([
    { type: "message", role: "user" },
    { type: "function_call", call_id: "t1", name: "f" },
    { type: "function_call_output", call_id: "t1", output: "ok" },
  ]);
});

test("interleaved items: state by output_index", () => {
  const added = (output_index: number, name: string) => ({
    type: "response.output_item.added",
    output_index,
    item: { type: "function_call", id: `fc_${name}`, call_id: `c_${name}`, name, arguments: "" },
  });
  const piece = (output_index: number, delta: string) => ({
    type: "response.function_call_arguments.delta",
    output_index,
    delta,
  });
  const steps = read(added(0, "a"), added(1, "b"), piece(1, '{"b":'), piece(0, '{"a":1}'), piece(1, "2}"), completed());
  expect(meaningOf(steps).calls).toEqual([
    ["a", { a: 1 }],
    ["b", { b: 2 }],
  ]);
});

test("reasoning that continues while a call is open, and ends after it, is complete", () => {
  const thought = { type: "reasoning", id: "rs", summary: [], encrypted_content: "sealed" };
  const called = { type: "function_call", id: "fc", call_id: "c", name: "f", arguments: "{}" };
  const summary = (delta: string) => ({
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    summary_index: 0,
    delta,
  });
  const steps = read(
    { type: "response.output_item.added", output_index: 0, item: { ...thought, encrypted_content: null } },
    summary("first "),
    { type: "response.output_item.added", output_index: 1, item: { ...called, arguments: "" } },
    summary("and last"),
    { type: "response.output_item.done", output_index: 1, item: called },
    { type: "response.output_item.done", output_index: 0, item: thought },
    completed(),
  );
  expect(meaningOf(steps)).toMatchObject({ thought: "first and last", calls: [["f", {}]], finish: "tool_calls" });
  expect(steps).toContainEqual(expect.objectContaining({ type: "signature" }));
});

test("a failure after the 200 is an error, never an end", () => {
  const failed = {
    type: "response.failed",
    response: { object: "response", status: "failed", error: { code: "server_error", message: "down" } },
  };
  const steps = read({ type: "response.created", response: {} }, failed);
  expect(steps.at(-1)).toMatchObject({ type: "error", error: { status: 502, message: "down" } });
  expect(steps.some(({ type }) => type === "finish")).toBe(false);
});

test("an error event and the failed response after it are one error", () => {
  const steps = read(
    { type: "error", code: "rate_limit_exceeded", message: "slow", param: null },
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } },
    },
  );
  expect(steps).toMatchObject([{ type: "error", error: { status: 429 } }]);
});

test("response.incomplete is length or content_filter, a normal end with usage", () => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
  const end = (reason: string) => ({
    type: "response.incomplete",
    response: { object: "response", status: "incomplete", output: [], incomplete_details: { reason }, usage },
  });
  expect(read(end("max_output_tokens"))).toMatchObject([{ type: "usage" }, { type: "finish", reason: "length" }]);
  expect(read(end("content_filter")).at(-1)).toMatchObject({ type: "finish", reason: "content_filter" });
});

test("a stream always ends with a terminal event", () => {
  expect(typesOf(written(client, [])).at(-1)).toBe("response.completed");
  expect(typesOf(written(client, [start, { ...finish, reason: "length" } as ReplyEvent])).at(-1)).toBe(
    "response.incomplete",
  );
  const error = { status: 502, type: "server_error", code: null, message: "cut", param: null };
  const encoder = client.streamEncoder(replyContext(), client.decodeRequest({ model: "m", input: "x" }));
  expect(typesOf(encoder.push({ type: "error", error }))).toEqual([
    "response.created",
    "response.in_progress",
    "error",
    "response.failed",
  ]);
});

test("response.done counts as response.completed", () => {
  const steps = read({ ...completed(), type: "response.done" });
  expect(steps.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});

test("the whole lifecycle is written from chat chunks, with complete output and usage", () => {
  const text = written(client, [start, say("a"), say("b"), finish], {
    ...NO_USAGE,
    promptTokens: 2,
    completionTokens: 1,
  });
  expect(typesOf(text)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(dataOf(text).at(-1)).toMatchObject({
    response: {
      output: [{ type: "message", content: [{ type: "output_text", text: "ab" }] }],
      usage: { input_tokens: 2, total_tokens: 3 },
    },
  });
});

test("sequence_number grows by one on every event", () => {
  const events = dataOf(written(client, [start, say("a"), ...call(0), ...call(1), say("b"), finish]));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, at) => at));
});

test("items are closed in the order of output_index", () => {
  const events = dataOf(written(client, [start, say("a"), ...call(0), ...call(1), say("b"), finish]));
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.map(({ output_index }) => output_index)).toEqual([0, 1, 2, 3]);
  const ids = done.map(({ item }) => item as JsonObject);
  expect(ids.every(({ id, call_id }) => id !== call_id)).toBe(true);
});

test("interleaved items are closed in order, too", () => {
  const [open0, input0] = call(0) as [ReplyEvent, ReplyEvent];
  const [open1, input1] = call(1) as [ReplyEvent, ReplyEvent];
  const events = dataOf(written(client, [start, say("a"), open0, open1, input1, say("b"), input0, finish]));
  const done = events.filter(({ type }) => type === "response.output_item.done");
  expect(done.map(({ output_index }) => output_index)).toEqual(done.map((_event, at) => at));
  const output = recordsOf(recordOf(events.at(-1)?.response)?.output);
  expect(done.map(({ item }) => item)).toEqual(output);
  expect(output.filter(({ type }) => type === "function_call").map(({ arguments: input }) => input)).toEqual([
    "{}",
    "{}",
  ]);
});

test("arguments only in the done event, items only in the end", () => {
  const item = { type: "function_call", id: "fc", call_id: "c", name: "f", arguments: '{"a":1}' };
  const message = { type: "message", content: [{ type: "output_text", text: "hi" }] };
  const late = read(
    { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
    { type: "response.output_item.done", output_index: 0, item },
    completed({ output: [item, message] }),
  );
  expect(meaningOf(late)).toMatchObject({ calls: [["f", { a: 1 }]], text: "hi", finish: "tool_calls" });
});

test("Gemini's signature of a call returns with the call", () => {
  const [begin, input] = call(0);
  const signed = { ...begin, signature: { dialect: "gemini", value: "g" } } as ReplyEvent;
  const output = outputOf(written(client, [start, signed, input as ReplyEvent, finish]));
  const history = client.decodeRequest({ model: "m", input: output });
  expect(history.turns).toMatchObject([
    { role: "assistant", parts: [{ type: "tool-call", id: "call_0", signature: { dialect: "gemini", value: "g" } }] },
  ]);
});

test("signed and hidden reasoning of other providers returns unchanged", () => {
  const anthropic = (value: string) => ({ dialect: "anthropic", value }) as const;
  const steps: ReplyEvent[] = [
    start,
    { type: "reasoning", choice: 0, text: "hm" },
    { type: "signature", choice: 0, signature: anthropic("s1") },
    { type: "signature", choice: 0, signature: anthropic("s2"), encrypted: true },
    say("x"),
    finish,
  ];
  const output = outputOf(written(client, steps));
  const [turn] = client.decodeRequest({ model: "m", input: output }).turns;
  expect(turn?.parts).toMatchObject([
    { type: "reasoning", text: "hm", signature: anthropic("s1") },
    { type: "reasoning", text: "", encrypted: true, signature: anthropic("s2") },
    { type: "text", text: "x" },
  ]);
  expect(
    JSON.stringify(provider.encodeRequest(client.decodeRequest({ model: "m", input: output }), target(), new Set())),
  ).not.toMatch(/s1|s2|hm/);
});

test("a chat request becomes a Responses request, and what it cannot express is reported", () => {
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "m",
    max_tokens: 3,
    stop: "END",
    seed: 1,
    messages: [
      { role: "system", content: "be" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://a/b.png" } }] },
    ],
    tools: [{ type: "function", function: { name: "f" } }],
    tool_choice: { type: "function", function: { name: "f" } },
    reasoning_effort: "low",
  });
  const dropped = new Set<string>();
  expect(provider.encodeRequest(conversation, target("gpt-5"), dropped)).toEqual({
    store: false,
    include: ["reasoning.encrypted_content"],
    model: "gpt-5",
    instructions: "be",
    input: [
      {
        type: "message",
        role: "user",
        content: [{ type: "input_image", image_url: "https://a/b.png", detail: "auto" }],
      },
    ],
    max_output_tokens: 16,
    tools: [{ type: "function", name: "f", parameters: { type: "object", properties: {} }, strict: false }],
    tool_choice: { type: "function", name: "f" },
    reasoning: { effort: "low", summary: "auto" },
  });
  expect([...dropped].sort()).toEqual(["max_tokens", "seed", "stop"]);
});

test("a Responses request becomes a chat request", () => {
  const conversation = client.decodeRequest({
    model: "m",
    instructions: "be",
    input: [
      { role: "user", content: "x" },
      { type: "function_call", call_id: "c", name: "f", arguments: "" },
      { type: "function_call_output", call_id: "c", output: "ok" },
    ],
    text: { format: { type: "json_schema", name: "a", schema: {} } },
  });
  expect(openaiChatCodec.encodeRequest(conversation, target(), new Set())).toMatchObject({
    messages: [
      { role: "system", content: "be" },
      { role: "user", content: "x" },
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c", content: "ok" },
    ],
    response_format: { type: "json_schema", json_schema: { name: "a" } },
  });
});

test("log probabilities translate from chat", () => {
  const token = { token: "a", logprob: -0.1, bytes: [97], top_logprobs: [] };
  const [message] = outputOf(
    written(client, [start, { type: "text", choice: 0, text: "a", logprobs: [token] }, finish]),
  );
  expect(message).toMatchObject({ content: [{ type: "output_text", text: "a", logprobs: [token] }] });
});
