/** Marks of prefixes to cache reach every provider that has them, from wherever a client puts them. */
import { describe, expect, test } from "bun:test";
import type { Target } from "../../../src/formats/conversation/codec.ts";
import type { Conversation } from "../../../src/formats/conversation/conversation.ts";
import { PLAIN_SERVICE } from "../../../src/formats/conversation/service.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import { openaiChatClientCodec } from "../../../src/formats/openai-chat/index.ts";
import { openaiResponsesClientCodec } from "../../../src/formats/openai-responses/index.ts";
import { codecOf } from "../../../src/providers/registry.ts";
import { target } from "../../support/formats/fixtures.ts";

const cache_control = { type: "ephemeral" };
const LONG = { type: "ephemeral", ttl: "1h" };
const text = (value: string, mark: object = {}) => ({ type: "text", text: value, ...mark });
const call = (mark: object = {}) => ({ id: "c1", type: "function", function: { name: "f", arguments: "{}" }, ...mark });
const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
const system = { role: "system", content: "S" };
const user = { role: "user", content: "U" };
const calling = { role: "assistant", content: null, tool_calls: [call()] };
const result = { role: "tool", tool_call_id: "c1", content: "R" };
const chat = (members: JsonObject) =>
  openaiChatClientCodec.decodeRequest({
    model: "m",
    messages: [system, user, calling, result],
    tools: [tool],
    ...members,
  });
const responses = (members: JsonObject) =>
  openaiResponsesClientCodec.decodeRequest({ model: "m", input: [user], ...members });

const MARKED = { cache_control };
/** Where clients put marks; what opencode, Kilo and LiteLLM send is among them. */
const PLACES: readonly (readonly [place: string, read: () => Conversation, blockOf: string])[] = [
  ["a content part", () => chat({ messages: [{ role: "user", content: [text("U", MARKED)] }] }), "U"],
  ["a system message", () => chat({ messages: [{ ...system, ...MARKED }, user] }), "S"],
  ["a user message", () => chat({ messages: [{ ...user, ...MARKED }] }), "U"],
  ["a tool message", () => chat({ messages: [user, calling, { ...result, ...MARKED }] }), "R"],
  [
    "a tool message's part",
    () => chat({ messages: [user, calling, { ...result, content: [text("R", MARKED)] }] }),
    "R",
  ],
  ["a tool call", () => chat({ messages: [user, { ...calling, tool_calls: [call(MARKED)] }, result] }), "c1"],
  ["an assistant's message", () => chat({ messages: [user, { ...calling, ...MARKED }, result] }), "c1"],
  ["a tool", () => chat({ tools: [{ ...tool, ...MARKED }] }), "f"],
  ["a tool's function", () => chat({ tools: [{ ...tool, function: { ...tool.function, ...MARKED } }] }), "f"],
  [
    "a part of a response's input",
    () => responses({ input: [{ role: "user", content: [{ type: "input_text", text: "U", ...MARKED }] }] }),
    "U",
  ],
  ["a message of a response's input", () => responses({ input: [{ ...user, ...MARKED }] }), "U"],
  [
    "an instruction of a response's input",
    () => responses({ input: [{ role: "developer", content: "D", ...MARKED }, user] }),
    "D",
  ],
  ["a response's tool", () => responses({ tools: [{ type: "function", name: "f", ...MARKED }] }), "f"],
];

const openrouter: Target = { ...target("vendor/model"), service: { ...PLAIN_SERVICE, cacheMarks: true } };

describe.each(PLACES)("on %s", (_place, read, marked) => {
  test("reach Anthropic", () => {
    const dropped = new Set<string>();
    const sent = JSON.stringify(codecOf("anthropic").encodeRequest(read(), target("claude-sonnet-4-5"), dropped));
    // Members before the mark, back to where its block begins.
    const [before = "", ...more] = sent.split('"cache_control":{"type":"ephemeral"}');
    expect(more).toHaveLength(1);
    expect(before.slice(-160)).toContain(`"${marked}"`);
    expect(dropped).not.toContain("cache_control");
  });

  test("reach Converse, after what they mark and never inside a tool's result", () => {
    const dropped = new Set<string>();
    const body = codecOf("converse").encodeRequest(
      read(),
      target("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
      dropped,
    );
    const [before = "", ...more] = JSON.stringify(body).split('{"cachePoint":{"type":"default"}}');
    expect(more).toHaveLength(1);
    expect(before.slice(-160)).toContain(`"${marked}"`);
    expect(before.endsWith("},")).toBe(true);
    expect(JSON.stringify(body)).not.toMatch(/"content":\[[^\]]*cachePoint[^\]]*\],"?status/);
    expect(dropped).not.toContain("cache_control");
  });

  test("reach services that took them over", () => {
    const dropped = new Set<string>();
    const sent = JSON.stringify(codecOf("openai-chat").encodeRequest(read(), openrouter, dropped));
    expect(sent.split('"cache_control"')).toHaveLength(2);
    expect(dropped).not.toContain("cache_control");
  });
});

test("a mark in a tool's result stays with what it marks where media follow the text", () => {
  const image = { type: "image_url", image_url: { url: "https://example.org/a.png" }, ...MARKED };
  for (const [content, marked] of [
    [[text("R"), image], { role: "user", content: [image] }],
    [[image], { role: "user", content: [image] }],
    [[text("R", MARKED), { ...image, ...{ cache_control: undefined } }], { content: [text("R", MARKED)] }],
  ] as const) {
    const source = chat({ messages: [user, calling, { ...result, content }] });
    const body = codecOf("openai-chat").encodeRequest(source, openrouter, new Set());
    expect(JSON.stringify(body).split('"cache_control"')).toHaveLength(2);
    expect(body.messages).toContainEqual(expect.objectContaining(marked));
  }
});

test("the request's own mark is Anthropic's, or a cache point at the end", () => {
  const read = () => chat({ cache_control });
  const dropped = new Set<string>();
  expect(codecOf("anthropic").encodeRequest(read(), target("claude-sonnet-4-5"), dropped)).toMatchObject({
    cache_control,
  });
  const claude = { ...openrouter, model: "anthropic/claude-sonnet-5" };
  expect(codecOf("openai-chat").encodeRequest(read(), claude, dropped)).toMatchObject({ cache_control });
  const other = codecOf("openai-chat").encodeRequest(read(), openrouter, dropped);
  expect(other.cache_control).toBeUndefined();
  expect((other.messages as JsonObject[]).at(-1)?.content).toEqual([text("R", MARKED)]);
  const { messages } = codecOf("converse").encodeRequest(read(), target("us.anthropic.claude-opus-4-8"), dropped);
  expect((messages as { content: JsonObject[] }[]).at(-1)?.content).toEqual([
    { toolResult: { toolUseId: "c1", content: [{ text: "R" }] } },
    { cachePoint: { type: "default" } },
  ]);
  expect([...dropped]).toEqual([]);
});

test("both lifetimes arrive, the long one where the model has it", () => {
  const read = () =>
    chat({
      messages: [
        { ...system, cache_control: LONG },
        { ...user, cache_control },
      ],
    });
  expect(codecOf("anthropic").encodeRequest(read(), target("claude-sonnet-4-5"), new Set())).toMatchObject({
    system: [{ text: "S", cache_control: LONG }],
    messages: [{ content: [{ text: "U", cache_control }] }],
  });
  const systemOf = (model: string) => codecOf("converse").encodeRequest(read(), target(model), new Set()).system;
  const point = (ttl?: string) => [{ text: "S" }, { cachePoint: { type: "default", ...(ttl && { ttl }) } }];
  expect(systemOf("us.anthropic.claude-opus-4-5-20251101-v1:0")).toEqual(point("1h"));
  expect(systemOf("us.anthropic.claude-sonnet-4-20250514-v1:0")).toEqual(point());
  expect(systemOf("us.amazon.nova-pro-v1:0")).toEqual(point());
});

test("never more than four: the last ones win, and the loss is named", () => {
  const messages = Array.from({ length: 6 }, (_, at) => [
    { role: "user", content: `u${at}`, cache_control },
    { role: "assistant", content: `a${at}` },
  ]).flat();
  const read = () => chat({ messages: [{ ...system, ...MARKED }, ...messages], tools: [{ ...tool, ...MARKED }] });
  const marks = /"cache_control"|"cachePoint"/g;
  for (const [dialect, where] of [
    ["anthropic", target("claude-opus-4-8")],
    ["converse", target("us.anthropic.claude-opus-4-8")],
    ["openai-chat", openrouter],
  ] as const) {
    const dropped = new Set<string>();
    const sent = JSON.stringify(codecOf(dialect).encodeRequest(read(), where, dropped));
    expect(sent.match(marks)).toHaveLength(4);
    expect(sent.slice(0, sent.search(marks))).toContain("u2");
    expect([...dropped]).toEqual(["cache_control"]);
  }
});

test.each([
  ["converse", "meta.llama3-3-70b-instruct-v1:0"],
  ["converse", "anthropic.claude-3-sonnet-20240229-v1:0"],
  ["openai-chat", "deepseek-chat"],
] as const)("%s of %s gets none, and says so", (dialect, model) => {
  const messages = { max_tokens: 9, messages: [{ role: "user", content: [text("U", MARKED)] }] };
  const conversation = { ...chat(messages), extra: { dialect: "anthropic", members: {} } };
  const dropped = new Set<string>();
  const sent = JSON.stringify(codecOf(dialect).encodeRequest(conversation, target(model), dropped));
  expect(sent).not.toMatch(/cache_control|cachePoint/);
  expect(dropped).toContain("cache_control");
});

test("Nova caches instructions and messages, but no tools", () => {
  const dropped = new Set<string>();
  const read = chat({ messages: [{ ...user, ...MARKED }], tools: [{ ...tool, ...MARKED }] });
  const body = codecOf("converse").encodeRequest(read, target("us.amazon.nova-pro-v1:0"), dropped);
  expect(JSON.stringify(body.toolConfig)).not.toContain("cachePoint");
  expect(JSON.stringify(body.messages)).toContain("cachePoint");
  expect([...dropped]).toEqual(["cache_control"]);
});

test.each([
  [{ cachedContent: "cachedContents/1" }],
  [{ cached_content: "cachedContents/1" }],
  [{ extra_body: { google: { cached_content: "cachedContents/1" } } }],
])("Gemini's cached contents are named over Chat: %j", (members) => {
  const dropped = new Set<string>();
  const conversation = openaiChatClientCodec.decodeRequest({ model: "m", messages: [user], ...members });
  expect(codecOf("gemini").encodeRequest(conversation, target("gemini-2.5-pro"), dropped)).toMatchObject({
    cachedContent: "cachedContents/1",
  });
  expect([...dropped]).toEqual([]);
  codecOf("anthropic").encodeRequest(conversation, target("claude-opus-4-8"), dropped);
  expect([...dropped]).toEqual([Object.keys(members)[0] ?? ""]);
});

test("Converse reports what was written for how long", () => {
  const usage = {
    ...{ inputTokens: 3, outputTokens: 1, totalTokens: 904, cacheReadInputTokens: 200, cacheWriteInputTokens: 700 },
    cacheDetails: [
      { inputTokens: 500, ttl: "1h" },
      { inputTokens: 200, ttl: "5m" },
    ],
  };
  const answer = {
    output: { message: { role: "assistant", content: [{ text: "ok" }] } },
    stopReason: "end_turn",
    usage,
  };
  expect(codecOf("converse").decodeReply(answer)?.usage).toMatchObject({
    promptTokens: 903,
    cachedTokens: 200,
    cacheCreationTokens: 700,
    longCacheCreationTokens: 500,
  });
});

describe("OpenAI's own marks", () => {
  const openai = { ...target("gpt-6-astra"), service: { ...PLAIN_SERVICE, cacheBreakpoints: true } };
  const prompt_cache_breakpoint = { mode: "explicit", ttl: "12h" };
  const read = () =>
    chat({
      messages: [{ role: "user", content: [text("U", { prompt_cache_breakpoint }), text("V")] }, calling, result],
    });

  test("return to OpenAI, in both of its APIs", () => {
    const dropped = new Set<string>();
    const { messages } = codecOf("openai-chat").encodeRequest(read(), openai, dropped);
    expect(messages).toMatchObject([{ content: [{ text: "U", prompt_cache_breakpoint }, { text: "V" }] }, {}, {}]);
    const { input } = codecOf("openai-responses").encodeRequest(read(), openai, dropped);
    expect(input).toMatchObject([{ content: [{ text: "U", prompt_cache_breakpoint }, { text: "V" }] }, {}, {}]);
    expect([...dropped]).toEqual([]);
  });

  test("are Anthropic's marks there, and a cache point on Bedrock, with the long lifetime", () => {
    const dropped = new Set<string>();
    const { messages } = codecOf("anthropic").encodeRequest(read(), target("claude-sonnet-4-5"), dropped);
    expect(messages).toMatchObject([{ content: [{ text: "U", cache_control: LONG }, {}] }, {}, {}]);
    const converse = codecOf("converse").encodeRequest(read(), target("us.anthropic.claude-opus-4-8"), dropped);
    expect(JSON.stringify(converse)).toContain('{"text":"U"},{"cachePoint":{"type":"default","ttl":"1h"}}');
    expect([...dropped]).toEqual([]);
  });

  test("stand for those of other clients, except where only a content part can have one", () => {
    const dropped = new Set<string>();
    const marked = () => chat({ messages: [{ ...user, ...MARKED }, calling, { ...result, ...MARKED }], tools: [tool] });
    const { messages } = codecOf("openai-chat").encodeRequest(marked(), openai, dropped);
    const [first, , last] = messages as JsonObject[];
    for (const one of [first, last])
      expect(one).toMatchObject({ content: [{ prompt_cache_breakpoint: { mode: "explicit" } }] });
    const { input } = codecOf("openai-responses").encodeRequest(marked(), openai, dropped);
    expect((input as JsonObject[]).at(-1)?.output).toEqual([
      { type: "input_text", text: "R", prompt_cache_breakpoint: { mode: "explicit" } },
    ]);
    expect([...dropped]).toEqual([]);
    codecOf("openai-chat").encodeRequest(chat({ tools: [{ ...tool, ...MARKED }] }), openai, dropped);
    expect([...dropped]).toEqual(["cache_control"]);
  });

  test("are not sent to models and services that have none", () => {
    for (const one of [{ ...openai, model: "gpt-4o" }, target("gpt-6-astra")])
      expect(JSON.stringify(codecOf("openai-responses").encodeRequest(read(), one, new Set()))).not.toContain(
        "explicit",
      );
  });
});
