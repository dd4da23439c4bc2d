import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, sse, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { parseJson, recordOf, recordsOf } from "../../../formats/json.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const LONG = `mcp__plugin_chrome-devtools-mcp_chrome-devtools__performance_analyze_insight`;
type ChatRequest = { stream?: boolean; tools: { function: { name: string } }[] };

/** Calls the tool by the name that it received. */
function upstreamThatCalls() {
  return startUpstream(({ text }) => {
    const { stream, tools } = JSON.parse(text) as ChatRequest;
    const called = { id: "call_1", type: "function", function: { name: tools[0]?.function.name, arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [{ index: 0, ...called }] };
    if (!stream) return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
    const common = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };
    const chunks = [
      { ...common, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...common, choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ];
    return sse(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`);
  });
}

test.each([false, true])(
  "a tool whose name OpenAI rejects can still be called by that name (streamed: %p)",
  async (streamed) => {
    const upstream = upstreamThatCalls();
    const relay = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
      options: { ModelRatio: '{"m": 1}' },
    });
    stops.push(upstream.stop, relay.stop);
    const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
    const params = {
      model: "m",
      max_tokens: 50,
      tools: [{ name: LONG, input_schema: { type: "object" as const } }],
      tool_choice: { type: "tool" as const, name: LONG },
      messages: [
        { role: "user" as const, content: "Look." },
        { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "toolu_0", name: LONG, input: {} }] },
        { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "toolu_0", content: "seen" }] },
      ],
    };
    const answer = streamed
      ? await client.messages.stream(params).finalMessage()
      : await client.messages.create(params);
    expect(answer.content).toMatchObject([{ type: "tool_use", name: LONG }]);
    const sent = upstream.received.at(-1)?.text ?? "";
    expect(sent).not.toContain(LONG);
    const names = [...sent.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(1);
    expect(names[0]?.length).toBeLessThanOrEqual(64);
  },
);

/** Free-text tools of OpenAI's clients, such as Codex' `apply_patch`, with upstreams that only support functions. */

const PATCH = '*** Begin Patch\n*** Update File: src/a.ts\n-say("Gänt")\n+say("C:\\\\new 🌧")\n*** End Patch\n';
const BEFORE = "*** Begin Patch\n*** End Patch";
const ARGUMENTS = JSON.stringify({ input: PATCH });
/** Three characters each, so that escapes are split. */
const PIECES = ARGUMENTS.match(/.{1,3}/gs) ?? [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const line = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: { type: string; [member: string]: unknown }) => `event: ${data.type}\n${line(data)}`;

function claude(streamed: boolean): Response {
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m" };
  const end = { stop_reason: "tool_use", stop_sequence: null };
  const usage = { input_tokens: 5, output_tokens: 3 };
  const call = { type: "tool_use", id: "toolu_1", name: "apply_patch" };
  if (!streamed) return Response.json({ ...message, content: [{ ...call, input: { input: PATCH } }], ...end, usage });
  const deltas = PIECES.map((partial_json) =>
    named({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } }),
  );
  return sse(
    named({ type: "message_start", message: { ...message, content: [], usage } }) +
      named({ type: "content_block_start", index: 0, content_block: { ...call, input: {} } }) +
      deltas.join("") +
      named({ type: "content_block_stop", index: 0 }) +
      named({ type: "message_delta", delta: end, usage: { output_tokens: 3 } }) +
      named({ type: "message_stop" }),
  );
}

function gemini(streamed: boolean): Response {
  const call = { functionCall: { name: "apply_patch", args: { input: PATCH } }, thoughtSignature: "c2ln" };
  const candidates = [{ index: 0, content: { role: "model", parts: [call] }, finishReason: "STOP" }];
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
  const answer = { candidates, usageMetadata, modelVersion: "m", responseId: "r" };
  return streamed ? sse(line(answer)) : Response.json(answer);
}

function chat(streamed: boolean): Response {
  const called = { id: "call_1", type: "function", function: { name: "apply_patch", arguments: ARGUMENTS } };
  if (!streamed) {
    const message = { role: "assistant", content: null, tool_calls: [called] };
    return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    line({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const first = { ...called, index: 0, function: { name: "apply_patch", arguments: "" } };
  return sse(
    chunk({ role: "assistant", tool_calls: [first] }) +
      PIECES.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })).join("") +
      chunk({}, "tool_calls") +
      "data: [DONE]\n\n",
  );
}

const UPSTREAMS = [
  ["Anthropic", 14, claude],
  ["Gemini", 24, gemini],
  ["DeepSeek", 43, chat],
  ["OpenRouter", 20, chat],
  ["Mistral", 42, chat],
] as const;

function start(type: number, answer: (streamed: boolean) => Response) {
  const upstream = startUpstream(({ path, text }) =>
    answer(path.includes("stream") || recordOf(parseJson(text))?.stream === true),
  );
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  return { relay, sent: () => upstream.received.at(-1)?.text ?? "" };
}

const GRAMMAR = 'start: "*** Begin Patch" LF';
const RESPONSES = {
  model: "m",
  input: [
    { role: "user", content: "Fix it." },
    { type: "custom_tool_call", call_id: "call_0", name: "apply_patch", input: BEFORE },
    { type: "custom_tool_call_output", call_id: "call_0", output: "Nothing to do" },
  ],
  tools: [
    {
      type: "custom",
      name: "apply_patch",
      description: "Edits files.",
      format: { type: "grammar", syntax: "lark", definition: GRAMMAR },
    },
  ],
  tool_choice: { type: "custom", name: "apply_patch" },
};
const CHAT = {
  model: "m",
  messages: [
    { role: "user", content: "Fix it." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_0", type: "custom", custom: { name: "apply_patch", input: BEFORE } }],
    },
    { role: "tool", tool_call_id: "call_0", content: "Nothing to do" },
  ],
  tools: [{ type: "custom", custom: { name: "apply_patch", description: "Edits files." } }],
  tool_choice: { type: "custom", custom: { name: "apply_patch" } },
};

/** Expects that the upstream received a function, the earlier call as a function call, and the forced choice. */
function expectFunction(text: string): void {
  const compactly = JSON.stringify(parseJson(text));
  expect(compactly).toContain('{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}');
  // The chat API has arguments as JSON text.
  const before = JSON.stringify({ input: BEFORE });
  expect([before, JSON.stringify(before)].some((form) => compactly.includes(form))).toBe(true);
  expect(compactly).toContain("Nothing to do");
  expect(compactly).not.toContain("custom");
}

const eventsOf = (text: string) =>
  text
    .split("\n")
    .filter((one) => one.startsWith("data: {"))
    .map((one) => recordOf(parseJson(one.slice(6))) ?? {});

describe.each(UPSTREAMS)("with %s", (_name, type, answer) => {
  test.each([false, true])("a client of the Responses API; streamed: %p", async (stream) => {
    const { relay, sent } = start(type, answer);
    const response = await relay.post("/v1/responses", { ...RESPONSES, stream });
    const text = await response.text();
    expect(response.status).toBe(200);
    expectFunction(sent());
    expect(sent()).toContain(JSON.stringify(GRAMMAR).slice(1, -1));
    expect(response.headers.get("x-sluice-dropped")).toContain("tools: format");
    const events = eventsOf(text);
    const completeResponse = stream ? recordOf(events.at(-1)?.response) : recordOf(parseJson(text));
    const call = recordsOf(completeResponse?.output).find((item) => item.type !== "reasoning");
    expect(call).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: PATCH, status: "completed" });
    if (!stream) return;
    const deltas = events.filter((event) => event.type === "response.custom_tool_call_input.delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(PATCH);
    if (answer !== gemini) expect(deltas.length).toBeGreaterThan(20);
    expect(events.find((event) => event.type === "response.custom_tool_call_input.done")?.input).toBe(PATCH);
    expect(text).not.toContain("function_call");
  });

  test.each([false, true])("a client of the chat API; streamed: %p", async (stream) => {
    const { relay, sent } = start(type, answer);
    const response = await relay.post("/v1/chat/completions", { ...CHAT, stream });
    const text = await response.text();
    expect(response.status).toBe(200);
    expectFunction(sent());
    const calls = (stream ? eventsOf(text) : [recordOf(parseJson(text)) ?? {}])
      .flatMap(({ choices }) => recordsOf(choices))
      .flatMap((choice) => recordsOf(recordOf(choice.message ?? choice.delta)?.tool_calls));
    expect(calls[0]).toMatchObject({ type: "custom", custom: { name: "apply_patch" } });
    expect(calls.map((call) => recordOf(call.custom)?.input).join("")).toBe(PATCH);
  });
});

test("OpenAI's own chat API receives the tool unchanged", async () => {
  const { relay, sent } = start(1, chat);
  await (await relay.post("/v1/responses", RESPONSES)).text();
  expect(parseJson(sent())).toMatchObject({ tools: RESPONSES.tools, tool_choice: RESPONSES.tool_choice });
  await (await relay.post("/v1/chat/completions", CHAT)).text();
  expect(parseJson(sent())).toMatchObject({ tools: CHAT.tools, messages: CHAT.messages });
});
