import { expect, test } from "bun:test";
import {
  chatStream,
  dataOf,
  meaningOf,
  NO_USAGE,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../../test/support/formats/fixtures.ts";
import { ollamaCodec } from "../../providers/self-hosted/ollama/ollama.ts";
import { anthropicClientCodec } from "../anthropic/index.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import type { JsonObject } from "../json.ts";
import { openaiResponsesCodec } from "../openai-responses/index.ts";
import { openaiChatClientCodec, openaiChatCodec } from "./index.ts";

/** Edge cases of OpenAI's chat completions and of compatible services. */

const delta = (piece: JsonObject, finish: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 5,
  model: "m",
  choices: [{ index: 0, delta: piece, finish_reason: finish }],
});
const calls = (...pieces: JsonObject[]): JsonObject => delta({ tool_calls: pieces });
const read = (...chunks: JsonObject[]) => stepsOfStream(openaiChatCodec, chatStream(...chunks));
const usage = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
const asking = () => ({ ...openaiChatClientCodec.decodeRequest({ model: "m", messages: [] }), wantsUsage: true });
const start: ReplyEvent = { type: "start", id: "", model: "m", createdAt: 5 };
const finish: ReplyEvent = { type: "finish", choice: 0, reason: "stop", native: "stop" };
const text: ReplyEvent = { type: "text", choice: 0, text: "hi" };
const sent = (client: typeof openaiChatClientCodec, body: JsonObject) =>
  openaiChatCodec.encodeRequest(client.decodeRequest(body), target(), new Set());

test("usage arrives in a chunk that is not the last one", () => {
  const steps = read(
    { ...delta({ content: "a" }), usage },
    { ...delta({ content: "b" }), usage: null },
    delta({}, "stop"),
  );
  const reported = steps.filter((step) => step.type === "usage");
  expect(reported).toHaveLength(1);
  expect(reported[0]?.type === "usage" && reported[0].usage.promptTokens).toBe(10);
});

test("usage chunk with empty choices only if the client requests it", () => {
  const silent = dataOf(
    written(openaiChatClientCodec, [start, text, finish], NO_USAGE, { ...asking(), wantsUsage: false }),
  );
  expect(silent.every(({ choices }) => Array.isArray(choices) && choices.length === 1)).toBe(true);
  expect(silent.some((chunk) => "usage" in chunk)).toBe(false);
});

test("usage in a separate last chunk, null on the ordinary chunks", () => {
  const chunks = dataOf(written(openaiChatClientCodec, [start, text, finish], NO_USAGE, asking()));
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
});

test("explicit usage of 0 is no missing usage", () => {
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  expect(read({ ...delta({}, "stop"), usage: zero }).some(({ type }) => type === "usage")).toBe(true);
});

test("cache_write_tokens survive", () => {
  const details = { ...usage, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 } };
  const step = read({ ...delta({}, "stop"), usage: details }).find((step) => step.type === "usage");
  expect(step?.type === "usage" && step.usage.cacheCreationTokens).toBe(4);
});

test("function_call items of Responses get an index each", () => {
  const item = (index: number, id: string) => ({
    type: "response.output_item.added",
    output_index: index,
    item: { type: "function_call", id: `fc_${id}`, call_id: id, name: "f", arguments: "" },
  });
  const stream = [item(1, "a"), item(2, "b")].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const chunks = dataOf(written(openaiChatClientCodec, stepsOfStream(openaiResponsesCodec, stream)));
  expect(JSON.stringify(chunks)).toMatch(/"index":0,"id":"a".*"index":1,"id":"b"/);
});

test("several calls with the same index but other ids", () => {
  const call = (id: string, city: string) => ({ index: 0, id, function: { name: "f", arguments: `{"c":"${city}"}` } });
  const { calls: made } = meaningOf(read(calls(call("a", "x")), calls(call("b", "y")), delta({}, "stop")));
  expect(made).toEqual([
    ["f", { c: "x" }],
    ["f", { c: "y" }],
  ]);
});

test("a new name after finished JSON opens a new call even if the index repeats", () => {
  const completeCall = (name: string) => ({ index: 0, function: { name, arguments: "{}" } });
  expect(meaningOf(read(calls(completeCall("f")), calls(completeCall("g")), delta({}, "stop"))).calls).toEqual([
    ["f", {}],
    ["g", {}],
  ]);
});

test("tool-call message with content null", () => {
  const called = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const body = sent(openaiChatClientCodec, { model: "m", messages: [{ role: "assistant", tool_calls: [called] }] });
  expect(body.messages).toEqual([{ role: "assistant", content: null, tool_calls: [called] }]);
});

test("Ollama's own chat requires an empty text instead", () => {
  const called = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const conversation = openaiChatClientCodec.decodeRequest({
    model: "m",
    messages: [{ role: "assistant", tool_calls: [called] }],
  });
  expect(ollamaCodec.encodeRequest(conversation, target(), new Set()).messages).toMatchObject([{ content: "" }]);
});

test("fragments interleaved between calls, id only on the first fragment", () => {
  const piece = (index: number, text: string) => ({ index, function: { arguments: text } });
  const open = (index: number) => ({ index, id: `c${index}`, function: { name: `f${index}`, arguments: "" } });
  const steps = read(
    calls(open(0), open(1)),
    calls(piece(1, '{"b"')),
    calls(piece(0, '{"a":1}')),
    calls(piece(1, ":2}")),
  );
  expect(meaningOf(steps).calls).toEqual([
    ["f0", { a: 1 }],
    ["f1", { b: 2 }],
  ]);
});

test("calls without index or id are still distinguished", () => {
  const completeCall = (name: string) => ({ function: { name, arguments: "{}" } });
  const steps = read(calls(completeCall("f"), completeCall("g")));
  expect(meaningOf(steps).calls).toEqual([
    ["f", {}],
    ["g", {}],
  ]);
  const ids = steps.flatMap((step) => (step.type === "tool-start" ? [step.id] : []));
  expect(new Set(ids).size).toBe(2);
});

test("finish_reason stop although tool calls were sent", () => {
  const steps = read(calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }), delta({}, "stop"));
  expect(meaningOf(steps).finish).toBe("tool_calls");
});

test("a tool without arguments streams {} once", () => {
  const call: ReplyEvent = { type: "tool-start", choice: 0, index: 0, id: "a", name: "f", kind: "function" };
  const chunks = JSON.stringify(dataOf(written(openaiChatClientCodec, [start, call, finish])));
  expect(chunks.match(/"arguments":"{}"/g)).toHaveLength(1);
});

test("the tool call repeated with id empty and name null on later fragments", () => {
  const later = { index: 0, id: "", function: { name: null, arguments: ":1}" } };
  const steps = read(calls({ index: 0, id: "a", function: { name: "f", arguments: '{"x"' } }), calls(later));
  expect(meaningOf(steps).calls).toEqual([["f", { x: 1 }]]);
});

test("two chunks for the head retain the id", () => {
  const steps = read(
    calls({ index: 0, id: "a", type: "function", function: { name: "f" } }),
    calls({ index: 0, function: { arguments: "{}" } }),
  );
  expect(steps.find((step) => step.type === "tool-start")).toMatchObject({ id: "a", name: "f" });
});

test("legacy function_call is a tool call", () => {
  const steps = read(
    delta({ function_call: { name: "f", arguments: "{" } }),
    delta({ function_call: { arguments: "}" } }),
    delta({}, "function_call"),
  );
  expect(meaningOf(steps)).toMatchObject({ calls: [["f", {}]], finish: "tool_calls" });
});

test("a reasoning signature returns with reasoning_details", () => {
  const signed: ReplyEvent[] = [
    start,
    { type: "reasoning", choice: 0, text: "I " },
    { type: "reasoning", choice: 0, text: "think" },
    { type: "signature", choice: 0, signature: { dialect: "anthropic", value: "sig" } },
    finish,
  ];
  const pieces = dataOf(written(openaiChatClientCodec, signed)).flatMap(({ choices }) => {
    const [choice] = choices as { delta: { reasoning_details?: JsonObject[] } }[];
    return choice?.delta.reasoning_details ?? [];
  });
  const history = openaiChatClientCodec.decodeRequest({
    model: "m",
    messages: [{ role: "assistant", content: "x", reasoning_details: pieces }],
  });
  const thought = history.turns[0]?.parts[0];
  expect(thought).toEqual({ type: "reasoning", text: "I think", signature: { dialect: "anthropic", value: "sig" } });
  // Another provider does not receive the reasoning at all.
  expect(JSON.stringify(openaiChatCodec.encodeRequest(history, target(), new Set()))).not.toMatch(/think|sig/);
});

test("redacted thinking is carried in both directions", () => {
  const hidden: ReplyEvent = {
    type: "signature",
    choice: 0,
    signature: { dialect: "anthropic", value: "enc" },
    encrypted: true,
  };
  const reply = openaiChatClientCodec.encodeReply(
    {
      id: "",
      model: "",
      createdAt: 1,
      usage: null,
      serviceTier: null,
      choices: [
        {
          index: 0,
          parts: [{ type: "reasoning", text: "", signature: hidden.signature, encrypted: true }],
          citations: [],
          logprobs: null,
          finish: { reason: "stop", native: null, stopSequence: null },
        },
      ],
    },
    replyContext(),
    asking(),
  );
  const [choice] = reply.choices as { message: JsonObject }[];
  const history = openaiChatClientCodec.decodeRequest({ model: "m", messages: [{ ...choice?.message }] });
  expect(history.turns[0]?.parts[0]).toEqual({
    type: "reasoning",
    text: "",
    encrypted: true,
    signature: hidden.signature,
  });
});

test("Gemini's thought_signature on calls survives", () => {
  const call: ReplyEvent = {
    type: "tool-start",
    choice: 0,
    index: 0,
    id: "a",
    name: "f",
    kind: "function",
    signature: { dialect: "gemini", value: "g" },
  };
  const chunk = dataOf(written(openaiChatClientCodec, [start, call])).find((data) =>
    JSON.stringify(data).includes("extra_content"),
  );
  const [{ delta: message }] = (chunk?.choices ?? []) as [{ delta: JsonObject }];
  const history = openaiChatClientCodec.decodeRequest({ model: "m", messages: [{ ...message, role: "assistant" }] });
  expect(history.turns[0]?.parts[0]).toMatchObject({ type: "tool-call", signature: { dialect: "gemini", value: "g" } });
});

test("reasoning_content returns on assistant tool-call messages", () => {
  const body = sent(openaiChatClientCodec, {
    model: "m",
    messages: [
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "a", function: { name: "f", arguments: "{}" } }],
      },
    ],
  });
  expect(body.messages).toMatchObject([{ reasoning_content: "hm", tool_calls: [{ id: "a" }] }]);
});

test("content as parts: reasoning is separated, text is flattened", () => {
  const thinking = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
  const steps = read(delta({ content: [thinking, { type: "text", text: "yes" }] }), delta({ content: "!" }, "stop"));
  expect(meaningOf(steps)).toMatchObject({ thought: "hm", text: "yes!" });
});

test("reasoning sent twice: the field wins, the tagged text is removed", () => {
  const steps = read(delta({ reasoning_content: "hm", content: "<think>hm</think>yes" }), delta({}, "stop"));
  expect(meaningOf(steps)).toMatchObject({ thought: "hm", text: "yes" });
});

test("think tags split across deltas, and unclosed", () => {
  const pieces = (text: string) => [...text].map((letter) => delta({ content: letter }));
  expect(meaningOf(read(...pieces("<think>\nhm</think>\n\nyes <think> no"), delta({}, "stop")))).toMatchObject({
    thought: "hm",
    text: "yes <think> no",
  });
  expect(meaningOf(read(...pieces("<think>hm"), delta({}, "stop")))).toMatchObject({ thought: "hm", text: "" });
  expect(meaningOf(read(...pieces("<thi"), delta({}, "stop")))).toMatchObject({ thought: "", text: "<thi" });
});

test("errors as an array of one error object", () => {
  const error = openaiChatCodec.decodeError(400, [
    { error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } },
  ]);
  expect(error).toMatchObject({ status: 400, message: "bad" });
});

test("an error chunk in a chat stream is no stop", () => {
  const [step, ...rest] = read({ error: { message: "down", type: "server_error", code: 503 }, choices: [] });
  expect(step).toMatchObject({ type: "error", error: { status: 503, message: "down" } });
  expect(rest).toEqual([]);
});

test("a clean EOF without finish_reason is no success", () => {
  const decoder = openaiChatCodec.streamDecoder((prefix) => prefix);
  decoder.push({ event: "", data: JSON.stringify(delta({ content: "half" })) });
  expect(decoder.end()).toEqual([]);
  expect(decoder.ended).toBe(false);
});

test("Azure's first chunk has no id and its last may lack a delta", () => {
  const first = { id: "", object: "", model: "", created: 0, choices: [], prompt_filter_results: [] };
  const last = { ...delta({}), choices: [{ index: 0, finish_reason: null, content_filter_results: {} }] };
  const steps = read(first, delta({ content: "a" }), delta({}, "stop"), last);
  expect(steps[0]).toMatchObject({ type: "start", id: "chatcmpl-1", model: "m" });
  expect(meaningOf(steps)).toMatchObject({ text: "a", finish: "stop" });
});

test("one stop sequence is sent as an array", () => {
  const conversation = anthropicClientCodec.decodeRequest({
    model: "m",
    max_tokens: 5,
    stop_sequences: ["END"],
    messages: [{ role: "user", content: "x" }],
  });
  expect(openaiChatCodec.encodeRequest(conversation, target(), new Set()).stop).toEqual(["END"]);
});

test("role developer becomes system", () => {
  const body = sent(openaiChatClientCodec, { model: "m", messages: [{ role: "developer", content: "be kind" }] });
  expect(body.messages).toEqual([{ role: "system", content: "be kind" }]);
});

test("an assistant message with empty content is no error", () => {
  const body = sent(openaiChatClientCodec, {
    model: "m",
    messages: [
      { role: "assistant", content: "" },
      { role: "user", content: "x" },
    ],
  });
  expect(body.messages).toEqual([
    { role: "assistant", content: "" },
    { role: "user", content: "x" },
  ]);
});
