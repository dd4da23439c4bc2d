import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

/** The reference's rules of billing, row by row, each with the amount that follows from it. */

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MODELS = ["m", "fixed", "tts-1", "speaks", "whisper-1", "dall-e-3", "draws", "gpt-4o-audio-x", "cheap", "free"];
/** Ratio 2, output 4 ×, cached ¼ ×, written 1.25 ×, audio 10 × and its output 2 × that, a group that pays half. */
const OPTIONS: Partial<Record<OptionKey, string>> = {
  ModelRatio: JSON.stringify({ ...Object.fromEntries(MODELS.map((model) => [model, 2])), cheap: 0.001, free: 0 }),
  ModelPrice: '{"fixed": 0.01, "dall-e-3": 0.04}',
  CompletionRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 4]))),
  CacheRatio: '{"m": 0.25}',
  CacheCreationRatio: '{"m": 1.25}',
  AudioRatio: '{"gpt-4o-audio-x": 10}',
  AudioCompletionRatio: '{"gpt-4o-audio-x": 2}',
  GroupRatio: '{"default": 0.5}',
  RetryTimes: "0",
};

type Ask = Readonly<{ path: string; body: object | FormData }>;

/** Makes one call against an upstream that answers so; its record. */
async function recordOf(
  { path, body }: Ask,
  answer: object | string | (() => Response),
  channel: Partial<ChannelEntry> = {},
  options: Partial<Record<OptionKey, string>> = {},
) {
  const upstream = startUpstream(() => {
    if (typeof answer === "function") return answer();
    if (typeof answer === "string") return new Response(answer, { headers: { "content-type": "text/event-stream" } });
    return Response.json(answer);
  });
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: MODELS, ...channel }],
    options: { ...OPTIONS, ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const init = { method: "POST", headers: { authorization: "Bearer sk-test" } };
  const sent =
    body instanceof FormData ? await fetch(relay.url + path, { ...init, body }) : await relay.post(path, body);
  await sent.arrayBuffer();
  const record = await relay.billing.nextRecord();
  expect(relay.billing.openHolds).toBe(0);
  return { record, status: sent.status, held: relay.billing.holds[0]?.amount ?? 0 };
}
const amountOf = async (...call: Parameters<typeof recordOf>): Promise<number> =>
  (await recordOf(...call)).record.quota;

const messages = [{ role: "user", content: "hi" }];
const chat = (model = "m", more: object = {}): Ask => ({
  path: "/v1/chat/completions",
  body: { model, messages, ...more },
});
const usage = (prompt: number, completion: number, details: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...details,
});
const CACHED = { prompt_tokens_details: { cached_tokens: 400 } };
const event = (data: object, name?: string) => `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object) => event({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta }] });

describe("formulas", () => {
  const responses = {
    id: "r",
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }],
    usage: {
      input_tokens: 1_000,
      output_tokens: 100,
      total_tokens: 1_100,
      input_tokens_details: { cached_tokens: 400 },
    },
  };
  const completion = { id: "c", object: "text_completion", choices: [{ index: 0, text: "Hello" }] };
  const form = () => {
    const fields = new FormData();
    fields.set("model", "m");
    fields.set("file", new File([new Uint8Array(10)], "a.wav"));
    return fields;
  };
  const EMBEDDED = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.1] }] };
  const tests: readonly (readonly [string, () => Ask, object, number])[] = [
    // [600 + 400 × ¼ + 100 × 4] × 2 × ½
    ["text: chat", () => chat(), chatReply({ usage: usage(1_000, 100, CACHED) }), 1_100],
    [
      "text: completions",
      () => ({ path: "/v1/completions", body: { model: "m", prompt: "hi" } }),
      { ...completion, usage: usage(1_000, 100, CACHED) },
      1_100,
    ],
    [
      "text: responses, cached tokens read",
      () => ({ path: "/v1/responses", body: { model: "m", input: "hi" } }),
      responses,
      1_100,
    ],
    [
      "text: embeddings",
      () => ({ path: "/v1/embeddings", body: { model: "m", input: "hi" } }),
      { ...EMBEDDED, usage: { prompt_tokens: 1_000, total_tokens: 1_000 } },
      1_000,
    ],
    [
      "text: rerank",
      () => ({ path: "/v1/rerank", body: { model: "m", query: "a", documents: ["b"] } }),
      { results: [], usage: { total_tokens: 1_000 } },
      1_000,
    ],
    [
      "text: moderations",
      () => ({ path: "/v1/moderations", body: { model: "m", input: "hello there" } }),
      { id: "1", model: "m", results: [{ flagged: false }] },
      2,
    ],
    [
      "text: transcriptions by tokens",
      () => ({ path: "/v1/audio/transcriptions", body: form() }),
      { text: "Hello", usage: { type: "tokens", input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 } },
      1_400,
    ],
    // $0.01 × 500,000 × ½
    ["fixed price: a call", () => chat("fixed"), chatReply({ usage: usage(10, 10) }), 2_500],
    // [100 + 20 × 4 + 50 × 10 + 30 × 10 × 2] × 2 × ½
    [
      "audio: text and sound apart",
      () => chat("gpt-4o-audio-x"),
      chatReply({
        usage: usage(150, 50, {
          prompt_tokens_details: { audio_tokens: 50 },
          completion_tokens_details: { audio_tokens: 30 },
        }),
      }),
      1_280,
    ],
    // 3 × 2 × ½ = 3 units, 1 × 0.001 × ½ rounds to none.
    ["minimum: one unit at least", () => chat("cheap"), chatReply({ usage: usage(1, 0) }), 1],
    ["minimum: what is free stays free", () => chat("free"), chatReply({ usage: usage(9, 9) }), 0],
    ["zero rule: a fixed price too", () => chat("fixed"), chatReply({ choices: [], usage: usage(0, 0) }), 0],
    // 100 prompt, 30 written and 70 thought: [100 + 100 × 4] × 2 × ½
    [
      "reasoning of xAI: stands next to the completion",
      () => chat(),
      chatReply({
        usage: {
          prompt_tokens: 100,
          completion_tokens: 30,
          total_tokens: 200,
          completion_tokens_details: { reasoning_tokens: 70 },
        },
      }),
      500,
    ],
    [
      "cached tokens are within the prompt once",
      () => chat(),
      chatReply({ usage: usage(1_000, 2, { prompt_tokens_details: { cached_tokens: 1_000 } }) }),
      // 1,000 × ¼ + 2 × 4
      258,
    ],
  ];
  test.each(tests)("%s", async (_, ask, answer, quota) => expect(await amountOf(ask(), answer)).toBe(quota));

  const CLAUDE = { type: 14 } as const;
  const claude = (usage: object) => ({
    id: "msg",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    usage,
  });
  const claudeUsage = {
    input_tokens: 600,
    cache_read_input_tokens: 400,
    cache_creation_input_tokens: 201,
    output_tokens: 100,
  };
  const messagesCall = (model: string) => ({ path: "/v1/messages", body: { model, max_tokens: 500, messages } });
  test("messages: the prompt without cached and written tokens, rounded like the rest", async () => {
    // [600 + 400 × ¼ + 201 × 1.25 + 100 × 4] × 2 × ½ = 1,351.25
    expect(await amountOf(messagesCall("m"), claude(claudeUsage), CLAUDE)).toBe(1_351);
  });
  test("messages: the same through the other format", async () => {
    expect(await amountOf(chat(), claude(claudeUsage), CLAUDE)).toBe(1_351);
  });
  test("messages, fixed price: a call", async () => {
    const third = { ModelPrice: '{"fixed": 0.000003}' };
    // 1.5 × ½ = 0.75 units, rounded.
    expect(await amountOf(messagesCall("fixed"), claude(claudeUsage), CLAUDE, third)).toBe(1);
  });
  test("reasoning: Gemini's reasoning is part of the completion", async () => {
    const answer = {
      candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 30, thoughtsTokenCount: 70, totalTokenCount: 200 },
    };
    expect(await amountOf(chat(), answer, { type: 24 })).toBe(500);
  });
});

describe("holds", () => {
  const answered = chatReply({ usage: usage(10, 10) });
  test("estimate: the client's limit, else the option", async () => {
    const limited = await recordOf(chat("m", { max_tokens: 1_000 }), answered);
    const open = await recordOf(chat(), answered, {}, { PreConsumedQuota: "2000" });
    // 1,000 × 4 × 2 × ½ and the prompt; 2,000 likewise.
    expect([limited.held >= 4_000 && limited.held < 4_100, open.held >= 8_000 && open.held < 8_100]).toEqual([
      true,
      true,
    ]);
    expect([limited.record.quota, open.record.quota]).toEqual([50, 50]);
  });
  test("fixed price: held as it is", async () => {
    expect((await recordOf(chat("fixed"), answered)).held).toBe(2_500);
  });
  test("limit: more tokens than anybody has are refused", async () => {
    const relay = startRelay({ channels: [{ models: MODELS }], options: OPTIONS });
    stops.push(relay.stop);
    expect((await relay.post("/v1/chat/completions", { model: "m", messages, max_tokens: 2 ** 31 })).status).toBe(400);
  });
  test("refuse: less left than the estimate", async () => {
    const relay = startRelay({ channels: [{ models: MODELS }], options: OPTIONS });
    stops.push(relay.stop);
    relay.billing.available = 2_499;
    const refused = await relay.post("/v1/chat/completions", { model: "fixed", messages });
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "insufficient_quota" } }]);
  });
  const functionTool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
  test.each<[string, string, object, Partial<Record<OptionKey, string>>]>([
    ["a ratio of 0", "free", {}, {}],
    ["a ratio of 0, with tools of the client", "free", { tools: [functionTool] }, {}],
    ["a price of 0", "fixed", {}, { ModelPrice: '{"fixed": 0}' }],
    ["a group ratio of 0", "m", {}, { GroupRatio: '{"default": 0}' }],
    [
      "a group ratio of 0, with a tool of the provider",
      "m",
      { web_search_options: {} },
      { GroupRatio: '{"default": 0}' },
    ],
  ])("nothing left: a call that costs nothing by %s is served and recorded", async (_, model, more, options) => {
    const upstream = startUpstream(() => Response.json(answered));
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: MODELS }],
      options: { ...OPTIONS, ...options },
    });
    stops.push(upstream.stop, relay.stop);
    relay.billing.available = 0;
    expect((await relay.post("/v1/chat/completions", { model, messages, ...more })).status).toBe(200);
    expect(await relay.billing.nextRecord()).toMatchObject({ quota: 0, failed: false });
    expect(relay.billing.holds).toMatchObject([{ amount: 0, state: "settled" }]);
  });
  test.each<[string, string, object]>([
    ["/v1/chat/completions", "free", { messages, web_search_options: {} }],
    ["/v1/responses", "free", { input: "hi", tools: [{ type: "web_search" }] }],
    ["/v1/messages", "free", { messages, max_tokens: 9, tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "/v1beta/models/free:generateContent",
      "",
      { contents: [{ parts: [{ text: "hi" }] }], tools: [{ googleSearch: {} }] },
    ],
  ])("nothing left: %s refuses a free model with a tool that the provider bills", async (path, model, body) => {
    const relay = startRelay({ channels: [{ models: MODELS }], options: OPTIONS });
    stops.push(relay.stop);
    relay.billing.available = 0;
    const refused = await relay.post(path, { ...(model && { model }), ...body });
    expect(refused.status).toBe(path === "/v1/messages" ? 402 : 429);
  });
  test.each([
    ["failure: an upstream that fails costs nothing", chat(), () => new Response("{}", { status: 500 })],
    [
      "nor does one that breaks off behind /v1/messages",
      { path: "/v1/messages", body: { model: "m", max_tokens: 5, messages } },
      () => new Response("not JSON"),
    ],
  ])("%s", async (_, ask, answer) => {
    const { record, status } = await recordOf(ask, answer);
    expect([status >= 500, record.quota]).toEqual([true, 0]);
  });
});

describe("without usage", () => {
  test("stream: prompt and answer are counted here", async () => {
    const body = `${chunk({ content: "Hello there, friend" })}data: [DONE]\n\n`;
    const { record } = await recordOf(chat("m", { stream: true }), body);
    expect([record.promptTokens, record.completionTokens]).toEqual([8, 4]);
    expect([record.quota, record.other.usage_evidence]).toEqual([8 + 4 * 4, "estimated"]);
  });
  test("whole: prompt and answer are counted here", async () => {
    const { usage: _, ...silent } = chatReply();
    const { record } = await recordOf(chat(), silent);
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([8, 2, 16]);
  });
  test("empty: an answer of blanks is free", async () => {
    const blank = chatReply({
      choices: [{ index: 0, message: { role: "assistant", content: " \n" } }],
      usage: usage(50, 0),
    });
    expect(await amountOf(chat(), blank)).toBe(0);
  });
  test("responses: a stream that ends early has its prompt counted too", async () => {
    const body = event({ type: "response.output_text.delta", delta: "Hello there" }, "response.output_text.delta");
    const { record } = await recordOf({ path: "/v1/responses", body: { model: "m", input: "hi", stream: true } }, body);
    expect(record.promptTokens).toBeGreaterThan(0);
    expect(record.completionTokens).toBe(2);
  });
  test("messages: a stream without output tokens has its text counted", async () => {
    const body =
      event(
        { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 100 } } },
        "message_start",
      ) +
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ) +
      event(
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello there" } },
        "content_block_delta",
      ) +
      event({ type: "message_stop" }, "message_stop");
    const ask = { path: "/v1/messages", body: { model: "m", max_tokens: 50, messages, stream: true } };
    const { record } = await recordOf(ask, body, { type: 14 });
    expect(record.completionTokens).toBe(2);
    expect(record.quota).toBeGreaterThan(0);
  });
  test("messages: a client that leaves pays for what came, not for what was announced before it", async () => {
    const began = { id: "m", role: "assistant", content: [], usage: { input_tokens: 100, output_tokens: 1 } };
    const delta = { type: "text_delta", text: "one two three four five six seven eight" };
    const head =
      event({ type: "message_start", message: began }, "message_start") +
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ) +
      event({ type: "content_block_delta", index: 0, delta }, "content_block_delta");
    const upstream = startUpstream(() => {
      const endless = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(head)) });
      return new Response(endless, { headers: { "content-type": "text/event-stream" } });
    });
    const relay = startRelay({ channels: [{ type: 14, baseUrl: upstream.url, models: MODELS }], options: OPTIONS });
    stops.push(upstream.stop, relay.stop);
    const client = new AbortController();
    const ask = { model: "m", max_tokens: 500, messages, stream: true };
    const answer = await relay.post("/v1/messages", ask, { signal: client.signal });
    await answer.body?.getReader().read();
    client.abort();
    const record = await relay.billing.nextRecord();
    // [100 + 8 × 4] × 2 × ½
    expect([record.promptTokens, record.completionTokens, record.quota]).toEqual([100, 8, 132]);
    expect(record.other).toMatchObject({ usage_evidence: "estimated", ending: "client_left" });
  });
  const toolCall = { id: "1", type: "function", function: { name: "f", arguments: "{}" } };
  test.each([
    [
      "an answer of tool calls alone is charged",
      chat(),
      chatReply({
        choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [toolCall] } }],
        usage: usage(100, 10),
      }),
      140,
    ],
    [
      "so are embeddings",
      { path: "/v1/embeddings", body: { model: "m", input: "hi" } },
      { object: "list", data: [{ index: 0, embedding: [0.1] }], usage: { prompt_tokens: 100, total_tokens: 100 } },
      100,
    ],
  ])("%s", async (_, ask, answer, quota) => expect(await amountOf(ask, answer)).toBe(quota));
});

describe("speech and sound", () => {
  const say = (model: string, input: string) => ({ path: "/v1/audio/speech", body: { model, input, voice: "alloy" } });
  const audioResponse = () => new Response(new Uint8Array(9), { headers: { "content-type": "audio/mpeg" } });
  test("tts: Unicode characters", async () => {
    expect(await amountOf(say("tts-1", "Wörter 🌊"), audioResponse)).toBe(8);
  });
  test("other speech: tokens of the text", async () => {
    expect(await amountOf(say("speaks", "Hello there"), audioResponse)).toBe(2);
  });
  test.each([
    ["a prefix", "vip-tts-1", { modelPrefix: "vip-" }],
    ["a mapping", "voice", { models: ["voice"], modelMapping: new Map([["voice", "tts-1"]]) }],
  ])("tts: Unicode characters, behind %s", async (_, model, channel) => {
    expect(await amountOf(say(model, "Wörter 🌊"), audioResponse, channel)).toBe(8);
  });
  test.each([
    ["transcriptions: a minute is 1,000 tokens", "transcriptions", 60, 1_000],
    ["transcriptions: a second begun counts", "transcriptions", 29.2, 500],
    ["translations: likewise", "translations", 90, 1_500],
  ])("%s", async (_, kind, duration, quota) => {
    const fields = new FormData();
    fields.set("model", "whisper-1");
    fields.set("file", new File([new Uint8Array(10)], "a.wav"));
    expect(await amountOf({ path: `/v1/audio/${kind}`, body: fields }, { text: "Hello", duration })).toBe(quota);
  });
  test.each([
    ["MP3 of a varying bit rate", "vbr.mp3", 117],
    ["M4A", "aac.m4a", 117],
    ["Opus", "opus.ogg", 100],
  ])("transcriptions: %s costs its own length where the provider names none", async (_, name, quota) => {
    const fields = new FormData();
    fields.set("model", "whisper-1");
    const recording = Bun.file(join(import.meta.dir, "../../support/lib/audio", name));
    fields.set("file", new File([await recording.bytes()], name));
    expect(await amountOf({ path: "/v1/audio/transcriptions", body: fields }, { text: "Hello" })).toBe(quota);
  });
});

describe("images", () => {
  const draw = (model: string, order: object = {}) => ({
    path: "/v1/images/generations",
    body: { model, prompt: "a gate", ...order },
  });
  const drawn = { created: 1, data: [{ url: "https://x.example/1.png" }] };
  // $0.04 × 500,000 × ½ is 10,000; by ratio 2 × $0.0025 × 500,000 × ½ is 1,250.
  test.each([
    ["base price: fixed", draw("dall-e-3"), 10_000],
    ["base price: of a ratio", draw("draws"), 1_250],
    ["size: 256", draw("draws", { size: "256x256" }), 500],
    ["size: 512, half a unit up", draw("draws", { size: "512x512" }), 563],
    ["size: square", draw("draws", { size: "1024x1024" }), 1_250],
    ["size: tall", draw("draws", { size: "1024x1792" }), 2_500],
    ["size: wide", draw("draws", { size: "1792x1024" }), 2_500],
    ["size: another", draw("draws", { size: "1536x1024" }), 1_250],
    ["quality: hd", draw("dall-e-3", { quality: "hd" }), 20_000],
    ["quality: hd and wide", draw("dall-e-3", { quality: "hd", size: "1792x1024" }), 30_000],
    ["quality: of another model", draw("draws", { quality: "hd" }), 1_250],
    ["number: each", draw("dall-e-3", { n: 3 }), 30_000],
    ["number: 128 at most", draw("draws", { n: 128 }), 160_000],
    ["those of a ratio are not nearly free", draw("draws", { n: 4 }), 5_000],
  ])("%s", async (_, ask, quota) => {
    const { record, held } = await recordOf(ask, drawn);
    expect([record.quota, held]).toEqual([quota, quota]);
  });
  const group = (options: object = {}) => draw("dall-e-3", { sequential_image_generation: "auto", ...options });
  const most = (count: unknown) => ({ sequential_image_generation_options: { max_images: count } });
  const three = { ...drawn, data: [drawn.data[0], drawn.data[0], drawn.data[0]] };
  // Each image 10,000.
  test.each([
    ["group: as many as the model may draw are held, those it drew are charged", group(), three, 150_000, 30_000],
    ["group: at most those the request allows", group(most(4)), three, 40_000, 30_000],
    ["group: failed images are free", group(most(4)), { data: [{ error: {} }, ...three.data] }, 40_000, 30_000],
    ["group: by the provider's count", group(), { ...drawn, usage: { generated_images: 5 } }, 150_000, 50_000],
    ["group: never more than was held", group(most(2)), { ...drawn, usage: { generated_images: 9 } }, 20_000, 20_000],
    [
      "group: switched off",
      draw("dall-e-3", { ...most(4), sequential_image_generation: "disabled" }),
      drawn,
      10_000,
      10_000,
    ],
  ])("%s", async (_, ask, answer, reserved, quota) => {
    const { record, held } = await recordOf(ask, answer);
    expect([held, record.quota]).toEqual([reserved, quota]);
  });
  test.each([0, 1.5, 129, "4", -1])("group: %p images are refused", async (count) => {
    const upstream = startUpstream(() => Response.json(drawn));
    const relay = startRelay({ channels: [{ baseUrl: upstream.url, models: MODELS }], options: OPTIONS });
    stops.push(upstream.stop, relay.stop);
    const { path, body } = group(most(count));
    expect([(await relay.post(path, body)).status, upstream.received.length]).toEqual([400, 0]);
  });
  test.each([
    ["number", { n: 3 }, {}, 30_000],
    ["size and quality", { quality: "hd", size: "1024x1792" }, {}, 30_000],
    ["a number below the client's", { n: 1 }, { n: 5 }, 10_000],
    ["nothing that counts", { user: "x" }, { n: 2 }, 20_000],
  ])("a channel's override: %s", async (_, paramOverride, order, quota) => {
    const { record, held } = await recordOf(draw("dall-e-3", order), drawn, { paramOverride });
    expect(record.quota).toBe(quota);
    expect(held).toBeGreaterThanOrEqual(quota);
  });
  test("log: the row ends with size and quality, and counts the images", async () => {
    const { record } = await recordOf(draw("dall-e-3", { size: "1792x1024", quality: "hd", n: 2 }), drawn);
    expect(record.content).toEndWith(", group ratio 0.5, size 1792x1024, quality hd");
    expect([record.promptTokens, record.completionTokens]).toEqual([2, 0]);
    expect((await recordOf(draw("draws"), drawn)).record.content).toEndWith(", group ratio 0.5");
  });
  const prefixed = { modelPrefix: "vip-", models: ["dall-e-3", "gpt-image-1"] };
  const mapped = (to: string) => ({ models: ["art"], modelMapping: new Map([["art", to]]) });
  const tokens = { ...drawn, usage: { input_tokens: 100, output_tokens: 200, total_tokens: 300 } };
  const model = (ratio: number) => JSON.stringify({ "gpt-image-1": ratio });
  const ratios = { ModelRatio: model(2), ImageRatio: model(2), ImageCompletionRatio: model(4) };
  const hd = { quality: "hd" };
  // By tokens: (100 + 200 × 2 × 4) × 2 × ½.
  test.each([
    ["quality: behind a prefix", draw("vip-dall-e-3", hd), drawn, prefixed, 20_000],
    ["quality: behind a mapping", draw("art", hd), drawn, mapped("dall-e-3"), 20_000],
    ["image tokens behind a prefix", draw("vip-gpt-image-1"), tokens, prefixed, 1_700],
    ["image tokens behind a mapping", draw("art"), tokens, mapped("gpt-image-1"), 1_700],
  ])("%s", async (_, ask, answer, channel, quota) => {
    expect(await amountOf(ask, answer, channel, ratios)).toBe(quota);
  });
  test("quality: by the name after mapping, also where the requested name has a price", async () => {
    const ModelPrice = '{"art": 0.08}';
    expect(await amountOf(draw("art", hd), drawn, mapped("dall-e-3"), { ModelPrice })).toBe(40_000);
  });
  test("a name with a ratio of its own draws by tokens where its model does", async () => {
    const own = { ModelRatio: '{"art": 2}', CompletionRatio: '{"art": 4}' };
    expect(await amountOf(draw("art"), tokens, mapped("gpt-image-1"), own)).toBe(900);
  });
  test.each([
    ["checks: a prompt", draw("draws", { prompt: "" })],
    ["checks: the letter x", draw("draws", { size: "1024×1024" })],
  ])("%s", async (_, { path, body }) => {
    const relay = startRelay({ channels: [{ models: MODELS }], options: OPTIONS });
    stops.push(relay.stop);
    expect((await relay.post(path, body)).status).toBe(400);
    expect(relay.billing.holds).toEqual([]);
  });
});
