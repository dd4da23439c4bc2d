import { expect, test } from "bun:test";
import {
  chatStream,
  counter,
  dataOf,
  meaningOf,
  NO_USAGE,
  replyContext,
  stepsOfStream,
  target,
  written,
} from "../../../test/support/formats/fixtures.ts";
import { completeEventsLength, eventData, splitEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import type { JsonObject } from "../json.ts";
import { openaiChatClientCodec, openaiChatCodec } from "../openai-chat/index.ts";
import { anthropicClientCodec, anthropicCodec } from "./index.ts";

/** Edge cases of the Messages API: https://docs.anthropic.com/en/api/messages. */

const stream = (...events: JsonObject[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
const begin = (usage: JsonObject = { input_tokens: 10, output_tokens: 1 }): JsonObject => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage },
});
const open = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, piece: JsonObject): JsonObject => ({ type: "content_block_delta", index, delta: piece });
const close = (index: number): JsonObject => ({ type: "content_block_stop", index });
const end = (stop_reason: string, usage: JsonObject = { output_tokens: 5 }): JsonObject[] => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const tool = (index: number, id: string, ...pieces: string[]): JsonObject[] => [
  open(index, { type: "tool_use", id, name: "f", input: {} }),
  ...pieces.map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  close(index),
];
const read = (...events: JsonObject[]) => stepsOfStream(anthropicCodec, stream(...events));
const usageIn = (steps: readonly ReplyEvent[]) => steps.findLast((step) => step.type === "usage")?.usage;
const start: ReplyEvent = { type: "start", id: "", model: "m", createdAt: null };
const text = (words: string): ReplyEvent => ({ type: "text", choice: 0, text: words });
const finish = (reason: "stop" | "length" | "content_filter" | "tool_calls"): ReplyEvent => ({
  type: "finish",
  choice: 0,
  reason,
  native: null,
});
const callStart = (index: number, id: string): ReplyEvent => ({
  type: "tool-start",
  choice: 0,
  index,
  id,
  name: "f",
  kind: "function",
});
const callInput = (index: number, words: string): ReplyEvent => ({
  type: "tool-input",
  choice: 0,
  index,
  text: words,
});
const events = (...steps: ReplyEvent[]) => dataOf(written(anthropicClientCodec, [start, ...steps]));
const encoded = (body: JsonObject) =>
  anthropicCodec.encodeRequest(openaiChatClientCodec.decodeRequest(body), target("claude-sonnet-4-5"), new Set());

test("any split of the bytes yields the same events, with every line ending", () => {
  const complete = stream(
    begin(),
    open(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "🐟 schön 思考" }),
    close(0),
    ...tool(1, "a", '{"ü"', ": 1}"),
    ...end("tool_use"),
  );
  const read = (pieces: Uint8Array[]): ReplyEvent[] => {
    const decoder = anthropicCodec.streamDecoder(counter());
    const steps: ReplyEvent[] = [];
    let held: Uint8Array = new Uint8Array();
    for (const piece of pieces) {
      held = Buffer.concat([held, piece]);
      const length = completeEventsLength(held);
      for (const event of splitEvents(textOfBytes(held.subarray(0, length)))) {
        const data = eventData(event);
        if (data !== null) steps.push(...decoder.push({ event: "", data }));
      }
      held = held.subarray(length);
    }
    return [...steps, ...decoder.end()];
  };
  for (const lineEnd of ["\n", "\r\n", "\r"]) {
    const bytes = Buffer.from(`: hello\n\n${complete}`.replaceAll("\n", lineEnd));
    const steps = read([bytes]);
    expect(meaningOf(steps)).toMatchObject({ text: "🐟 schön 思考", calls: [["f", { ü: 1 }]], finish: "tool_calls" });
    for (let at = 1; at < bytes.length; at += 1) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(steps);
    }
  }
});

test("input_tokens leaves out cache reads and writes: all are the prompt, the total is the sum", () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 1000, cache_creation_input_tokens: 200, output_tokens: 1 };
  const steps = read(begin(usage), ...end("end_turn"));
  expect(usageIn(steps)).toMatchObject({ promptTokens: 1203, cachedTokens: 1000, cacheCreationTokens: 200 });
  const chunks = dataOf(written(openaiChatClientCodec, steps, usageIn(steps)));
  expect(chunks.at(-1)?.usage).toMatchObject({
    prompt_tokens: 1203,
    completion_tokens: 5,
    total_tokens: 1208,
    prompt_tokens_details: { cached_tokens: 1000 },
  });
});

test("cached tokens are not counted twice: input_tokens is what is left", () => {
  const usage = { ...NO_USAGE, promptTokens: 100, cachedTokens: 70, cacheCreationTokens: 10, completionTokens: 4 };
  const delta = dataOf(written(anthropicClientCodec, [start, text("a"), finish("stop")], usage)).at(-2);
  expect(delta?.usage).toEqual({
    input_tokens: 20,
    cache_read_input_tokens: 70,
    cache_creation_input_tokens: 10,
    output_tokens: 4,
  });
});

test("always message_delta with reason and usage, then message_stop; both numbers are always there", () => {
  for (const steps of [[text("a"), finish("stop")], [text("a")], []]) {
    const sent = events(...steps);
    expect(sent.slice(-2)).toMatchObject([
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: 0, output_tokens: 0 } },
      { type: "message_stop" },
    ]);
    expect(sent[0]).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } });
  }
});

test("a last event that repeats the input, or reports 0, does not lose the first one's", () => {
  expect(usageIn(read(begin(), ...end("end_turn", { input_tokens: 0, output_tokens: 5 })))).toMatchObject({
    promptTokens: 10,
    completionTokens: 5,
  });
});

test("cache_control on parts, system and tools stays, and none is added", () => {
  const cache_control = { type: "ephemeral", ttl: "1h" };
  const part = { type: "text", text: "long", cache_control };
  const body = encoded({
    messages: [
      { role: "system", content: [part, { type: "text", text: "b" }] },
      { role: "user", content: [part, part] },
    ],
    tools: [{ type: "function", function: { name: "f" }, cache_control }],
  });
  expect(body.system).toEqual([part, { type: "text", text: "b" }]);
  expect(body.messages).toEqual([{ role: "user", content: [part, part] }]);
  expect(body.tools).toMatchObject([{ cache_control }]);
  const again = anthropicCodec.encodeRequest(anthropicClientCodec.decodeRequest(body), target("m"), new Set());
  expect(JSON.stringify(again).split("cache_control")).toHaveLength(5);
});

test("parallel calls have an index of their own, not that of the content block", () => {
  const steps = read(
    begin(),
    open(0, { type: "text", text: "so" }),
    close(0),
    ...tool(1, "a", "{}"),
    ...tool(2, "b", "{}"),
    ...end("tool_use"),
  );
  const chunks = JSON.stringify(dataOf(written(openaiChatClientCodec, steps)));
  expect(chunks).toMatch(/"index":0,"id":"a".*"index":1,"id":"b"/);
});

test("a pending call with an unknown finish reason: calls win", () => {
  expect(meaningOf(read(begin(), ...tool(0, "a", "{}"), ...end("brand_new"))).finish).toBe("tool_calls");
  expect(meaningOf(read(begin(), ...tool(0, "a", "{}"), ...end("end_turn"))).finish).toBe("tool_calls");
});

test("a tool without arguments: empty text means {}, in and out", () => {
  const steps = read(begin(), ...tool(0, "a", ""), ...end("tool_use"));
  const fragments = dataOf(written(openaiChatClientCodec, steps)).flatMap((chunk) => JSON.stringify(chunk.choices));
  expect(fragments.join("")).toContain('"arguments":"{}"');
  const messages = [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "" } }],
    },
    { role: "tool", tool_call_id: "a", content: "1" },
  ];
  expect(encoded({ messages }).messages).toMatchObject([{}, { content: [{ type: "tool_use", input: {} }] }, {}]);
});

test("results and ordinary text in one turn: results first", () => {
  const called = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const body = encoded({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", tool_calls: [called, { ...called, id: "b" }] },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "user", content: "hurry" },
      { role: "tool", tool_call_id: "a", content: "1" },
    ],
  });
  expect(body.messages).toMatchObject([
    {},
    { content: [{ id: "a" }, { id: "b" }] },
    { content: [{ tool_use_id: "a" }, { tool_use_id: "b" }, { type: "text", text: "hurry" }] },
  ]);
});

test("interleaved fragments of two calls become two complete blocks", () => {
  const sent = events(
    callStart(0, "a"),
    callInput(0, '{"x":'),
    callStart(1, "b"),
    callInput(1, '{"y":2}'),
    callInput(0, "1}"),
    finish("tool_calls"),
  );
  const again = stepsOfStream(anthropicCodec, stream(...sent));
  expect(meaningOf(again).calls).toEqual([
    ["f", { x: 1 }],
    ["f", { y: 2 }],
  ]);
});

test("reasoning with only a signature stays, and precedes the call again", () => {
  const thinking = { type: "thinking", thinking: "", signature: "c2ln" };
  const hidden = { type: "redacted_thinking", data: "aGlkZGVu" };
  const use = { type: "tool_use", id: "a", name: "f", input: {} };
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [thinking, hidden, use] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "1" }] },
  ];
  const body = anthropicCodec.encodeRequest(
    anthropicClientCodec.decodeRequest({ model: "m", messages }),
    target("m"),
    new Set(),
  );
  expect((body.messages as JsonObject[])[1]).toEqual({ role: "assistant", content: [thinking, hidden, use] });
});

test("signatures and hidden reasoning stream in both directions", () => {
  const steps = read(
    begin(),
    open(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "c2ln" }),
    close(0),
    open(1, { type: "redacted_thinking", data: "aGlkZGVu" }),
    close(1),
    open(2, { type: "text", text: "ok" }),
    close(2),
    ...end("end_turn"),
  );
  expect(
    stepsOfStream(anthropicCodec, written(anthropicClientCodec, steps)).filter(({ type }) => type !== "usage"),
  ).toEqual(
    steps
      .filter(({ type }) => type !== "usage")
      .map((step) => (step.type === "start" ? { ...step, model: "asked" } : step)),
  );
});

test("a response with only reasoning passes it on", () => {
  const steps = read(begin(), open(0, { type: "thinking", thinking: "only this" }), close(0), ...end("end_turn"));
  expect(meaningOf(steps)).toMatchObject({ thought: "only this", text: "", finish: "stop" });
});

test("an error event is an error in chat, never a stop", () => {
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const steps = read(begin(), open(0, { type: "text", text: "ha" }), error);
  expect(steps.at(-1)).toMatchObject({ type: "error", error: { status: 529, type: "overloaded_error" } });
  expect(steps.some(({ type }) => type === "finish")).toBe(false);
});

test("an error after the 200 is an error event without message_stop", () => {
  const encoder = anthropicClientCodec.streamEncoder(
    replyContext(),
    anthropicClientCodec.decodeRequest({ messages: [{ role: "user" }] }),
  );
  const failed = { status: 503, type: "server_error", code: null, message: "gone", param: null };
  const sent = dataOf(encoder.push(text("ha")) + encoder.push({ type: "error", error: failed }));
  expect(sent.at(-1)).toMatchObject({ type: "error", error: { type: "api_error", message: "gone" } });
});

test("a clean EOF without message_delta or message_stop is no success", () => {
  const steps = read(begin(), open(0, { type: "text", text: "ha" }));
  expect(steps.some(({ type }) => type === "finish")).toBe(false);
});

test("max_tokens is length, and the first text of a block start is not lost", () => {
  const steps = read(begin(), open(0, { type: "text", text: "first" }), close(0), ...end("max_tokens"));
  expect(meaningOf(steps)).toMatchObject({ text: "first", finish: "length" });
});

test.each([
  ["refusal", "content_filter"],
  ["model_context_window_exceeded", "length"],
  ["pause_turn", "length"],
  ["stop_sequence", "stop"],
])("%s is %s, with the native reason", (native, reason) => {
  const finished = read(begin(), ...end(native)).find((step) => step.type === "finish");
  expect(finished).toMatchObject({ reason, native } as object);
});

test.each(["pause_turn", "model_context_window_exceeded"])("%s stays the same for Anthropic's clients", (native) => {
  const searches = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } };
  const steps = read(begin(), open(0, { type: "text", text: "a" }), close(0), ...end(native));
  expect(dataOf(written(anthropicClientCodec, steps)).at(-2)).toMatchObject({ delta: { stop_reason: native } });
  const answer = {
    type: "message",
    id: "msg_1",
    content: [{ type: "text", text: "a" }, searches],
    stop_reason: native,
  };
  const reply = anthropicCodec.decodeReply(answer);
  expect(
    reply &&
      anthropicClientCodec.encodeReply(
        reply,
        replyContext(),
        anthropicClientCodec.decodeRequest({ messages: [{ role: "user" }] }),
      ),
  ).toEqual(expect.objectContaining({ stop_reason: native, content: answer.content }));
});

test("a paused turn returns unchanged, to be continued", () => {
  const searches = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } };
  const content = [{ type: "text", text: "I look." }, searches];
  const messages = [
    { role: "user", content: "Rain?" },
    { role: "assistant", content },
  ];
  const tools = [{ type: "web_search_20250305", name: "web_search" }];
  const dropped = new Set<string>();
  const conversation = anthropicClientCodec.decodeRequest({ model: "claude-sonnet-5", max_tokens: 9, messages, tools });
  const sent = anthropicCodec.encodeRequest(conversation, target("claude-sonnet-5"), dropped);
  expect((sent.messages as unknown[]).at(-1)).toEqual({ role: "assistant", content });
  expect([...dropped]).toEqual([]);
});

test.each([
  ["content_filter", "refusal"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["stop", "end_turn"],
] as const)("message_delta always has a stop_reason: %s comes out as %s", (reason, native) => {
  expect(events(text("a"), finish(reason)).at(-2)).toMatchObject({ delta: { stop_reason: native } });
});

test("one block for consecutive deltas of a kind, a new one only on a change", () => {
  const chunks = ["a", "b", "c"].map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  const sent = dataOf(written(anthropicClientCodec, stepsOfStream(openaiChatCodec, chatStream(...chunks))));
  expect(sent.filter(({ type }) => type === "content_block_start")).toHaveLength(1);
  expect(sent.filter(({ type }) => type === "content_block_delta")).toHaveLength(3);
});

test("temperature with top_p: one is dropped; blank stops and penalties too", () => {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({
    messages: [{ role: "user", content: "go" }],
    temperature: 1.7,
    top_p: 0.5,
    stop: [" ", "END"],
    frequency_penalty: 1,
    seed: 3,
    n: 2,
  });
  const body = anthropicCodec.encodeRequest(conversation, target("claude-sonnet-4-5"), dropped);
  expect(body).toMatchObject({ temperature: 1, stop_sequences: ["END"] });
  expect(body).not.toHaveProperty("top_p");
  expect(dropped).toEqual(new Set(["top_p", "frequency_penalty", "seed", "n"]));
});

test("image URLs stay URLs", () => {
  const url = "https://example.com/a.png";
  const body = encoded({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] });
  expect(body.messages).toMatchObject([{ content: [{ type: "image", source: { type: "url", url } }] }]);
});

test("images and citations of a response are the same streamed and complete", () => {
  const source = { kind: "base64", mediaType: "image/png", data: "aGk=" } as const;
  const image: ReplyEvent = { type: "media", choice: 0, kind: "image", source };
  const citation = { url: "https://example.com", title: "Page", citedText: null, start: null, end: null };
  const sent = events(image, text(" found"), { type: "citation", choice: 0, citation }, finish("stop"));
  const streamed = meaningOf(stepsOfStream(anthropicCodec, stream(...sent)));
  expect(streamed.text).toBe("![image](data:image/png;base64,aGk=) found");
  expect(sent.some(({ delta: piece }) => JSON.stringify(piece ?? {}).includes("citations_delta"))).toBe(true);
  const choice = {
    index: 0,
    parts: [
      { type: "image" as const, source: { kind: "base64" as const, mediaType: "image/png", data: "aGk=" } },
      { type: "text" as const, text: " found" },
    ],
    citations: [citation],
    logprobs: null,
    finish: { reason: "stop" as const, native: null, stopSequence: null },
  };
  const reply = { id: "", model: "m", createdAt: null, choices: [choice], usage: null, serviceTier: null };
  const request = anthropicClientCodec.decodeRequest({ messages: [{ role: "user", content: "go" }] });
  const response = anthropicCodec.decodeReply(anthropicClientCodec.encodeReply(reply, replyContext(), request));
  expect(response?.choices[0]?.parts.map((part) => part.type === "text" && part.text).join("")).toBe(streamed.text);
  expect(response?.choices[0]?.citations).toMatchObject([{ url: "https://example.com", title: "Page" }]);
});

test("cache writes for an hour are distinguished from those for five minutes, both ways", () => {
  const usage = {
    ...{ input_tokens: 3, cache_creation_input_tokens: 200, output_tokens: 1 },
    cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 150 },
  };
  const steps = read(begin(usage), ...end("end_turn"));
  const reported = usageIn(steps);
  expect(reported).toMatchObject({ promptTokens: 203, cacheCreationTokens: 200, longCacheCreationTokens: 150 });
  const delta = dataOf(written(anthropicClientCodec, [start, text("a"), finish("stop")], reported)).at(-2);
  expect(delta?.usage).toMatchObject({ cache_creation: usage.cache_creation, cache_creation_input_tokens: 200 });
});
