/** The settings for Claude and Gemini, tested by what an upstream receives, and the endpoints that calls use. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../../test/support/gateway/start-upstream.ts";
import type { OptionKey } from "../../../settings/registry/index.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const GEMINI = { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }] };
const CLAUDE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null },
  content: [{ type: "text", text: "ok" }],
  usage: { input_tokens: 3, output_tokens: 1 },
};

function start(type: number, model: string, options: Partial<Record<OptionKey, string>> = {}, own = { other: "" }) {
  const answer = type === 24 ? GEMINI : type === 14 || type === 33 ? CLAUDE : chatReply();
  const upstream = startUpstream(() => Response.json(answer));
  const relay = startRelay({
    channels: [
      { type, baseUrl: upstream.url, models: [model], keys: [type === 33 ? "bedrock-key|us-east-1" : "key"], ...own },
    ],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), ...options },
  });
  stops.push(upstream.stop, relay.stop);
  const chat = async (more: object = {}, headers: Record<string, string> = {}) => {
    const body = { model, messages: [{ role: "user", content: "Hi" }], ...more };
    const response = await relay.post("/v1/chat/completions", body, { headers });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("o")]);
    return sent();
  };
  const sent = () => {
    const { path = "", headers = new Headers(), text = "{}" } = upstream.received.at(-1) ?? {};
    return { path, headers, body: JSON.parse(text) as Record<string, unknown> };
  };
  return { relay, upstream, chat, sent };
}

describe("Gemini", () => {
  test("receives the settings' safety thresholds, unless the client sends its own", async () => {
    const { relay, chat, sent } = start(24, "gemini-2.5-flash", {
      "gemini.safety_settings": '{"default": "OFF", "HARM_CATEGORY_HARASSMENT": "BLOCK_ONLY_HIGH"}',
    });
    const { safetySettings } = (await chat()).body as { safetySettings: object[] };
    expect(safetySettings).toHaveLength(5);
    expect(safetySettings).toContainEqual({ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" });
    expect(safetySettings).toContainEqual({ category: "HARM_CATEGORY_HATE_SPEECH", threshold: "OFF" });
    const own = [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }];
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
    await relay.post("/v1beta/models/gemini-2.5-flash:generateContent", { contents, safetySettings: own });
    expect(sent().body.safetySettings).toEqual(own);
  });

  test("receives a request of its own clients unchanged except for the settings' additions", async () => {
    const { relay, sent } = start(24, "gemini-3-pro-preview");
    const video = {
      fileData: { fileUri: "https://www.youtube.com/watch?v=9hE5-98ZeCg", mimeType: "video/mp4" },
      videoMetadata: { startOffset: "1s", fps: 2 },
    };
    const functionCall = { id: "fc-1", name: "look", args: { at: 1 } };
    const functionResponse = { id: "fc-1", name: "look", response: { seen: true }, scheduling: "SILENT" };
    const declaration = {
      name: "look",
      description: "Looks",
      behavior: "NON_BLOCKING",
      parameters: { type: "OBJECT", properties: { at: { type: "INTEGER", format: "int32" } } },
      response: { type: "OBJECT", properties: { seen: { type: "BOOLEAN" } } },
    };
    const body = {
      contents: [
        { role: "user", parts: [{ text: "What is in it?" }, video] },
        { role: "model", parts: [{ functionCall, thoughtSignature: "c2ln" }] },
        { role: "user", parts: [{ functionResponse }] },
      ],
      tools: [{ functionDeclarations: [declaration] }],
      generationConfig: { mediaResolution: "MEDIA_RESOLUTION_LOW", thinkingConfig: { thinkingLevel: "low" } },
    };
    await relay.post("/v1beta/models/gemini-3-pro-preview:generateContent", body);
    const { safetySettings, ...rest } = sent().body;
    expect(rest).toEqual(body);
    expect(safetySettings).toBeArray();
    const own = { safety_settings: [], ...body };
    await relay.post("/v1beta/models/gemini-3-pro-preview:generateContent", own);
    expect(sent().body).toEqual(own);
  });

  test.each([
    ["by another model, without a signature", [{ functionCall: { name: "look", args: {} } }]],
    ["by Claude", [{ functionCall: { name: "look", args: {} }, thoughtSignature: "sluice~anthropic~~c2ln" }]],
  ])("receives calls that were made %s with the signatures it requires", async (_, parts) => {
    const { relay, sent } = start(24, "gemini-3-pro-preview");
    const answer = { role: "user", parts: [{ functionResponse: { name: "look", response: { seen: true } } }] };
    const contents = [{ role: "user", parts: [{ text: "Hi" }] }, { role: "model", parts }, answer];
    await relay.post("/v1beta/models/gemini-3-pro-preview:generateContent", { contents });
    expect(JSON.stringify(sent().body)).toContain('"thoughtSignature":"skip_thought_signature_validator"');
  });

  test.each([
    ["gemini-2.5-flash", "v1beta"],
    ["gemini-1.0-pro", "v1"],
  ])("%s is called in the version that the settings name: %s", async (model, version) => {
    const { chat } = start(24, model, { "gemini.version_settings": '{"default": "v1beta", "gemini-1.0-pro": "v1"}' });
    expect((await chat()).path).toBe(`/${version}/models/${model}:generateContent`);
  });

  test.each([
    ["gemini-2.5-flash", "v1alpha"],
    ["gemini-1.0-pro", "v1"],
  ])("the channel's own version overrides the one for all models: %s, %s", async (model, version) => {
    const { chat } = start(
      24,
      model,
      { "gemini.version_settings": '{"default": "v1beta", "gemini-1.0-pro": "v1"}' },
      { other: "v1alpha" },
    );
    expect((await chat()).path).toBe(`/${version}/models/${model}:generateContent`);
  });

  test.each([
    ["draws", ["TEXT", "IMAGE"]],
    ["writes", undefined],
  ])("a model that %s receives %j", async (model, modalities) => {
    const { chat } = start(24, model, { "gemini.supported_imagine_models": '["draws"]' });
    const { generationConfig } = (await chat({ max_tokens: 9 })).body as { generationConfig: object };
    expect(generationConfig).toEqual({ maxOutputTokens: 9, ...(modalities && { responseModalities: modalities }) });
  });
});

describe("Claude", () => {
  test("receives the headers that the settings have for the model, in addition to the client's betas", async () => {
    const { chat } = start(14, "claude-sonnet-4-5", {
      "claude.model_headers_settings": '{"claude-sonnet-4-5": {"anthropic-beta": ["a-1", "b-2"], "x-team": ["blue"]}}',
    });
    const { headers } = await chat({}, { "anthropic-beta": "c-3, a-1" });
    expect(headers.get("anthropic-beta")).toBe("c-3,a-1,b-2");
    expect(headers.get("x-team")).toBe("blue");
  });

  test("of Bedrock receives untouched bodies in its envelope", async () => {
    const model = "claude-sonnet-4-5";
    const { relay, sent } = start(33, model, { "global.pass_through_request_enabled": "true" });
    const own = { max_tokens: 9, messages: [{ role: "user", content: "Hi" }], service_tier: "auto", unknown: [1] };
    const headers = { "anthropic-beta": "interleaved-thinking-2025-05-14, mcp-client-2025-04-04" };
    const response = await relay.post("/v1/messages", { model, stream: false, ...own }, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-sluice-dropped")).toBe("anthropic-beta: mcp-client-2025-04-04");
    const betas = ["interleaved-thinking-2025-05-14"];
    expect(sent().body).toEqual({ ...own, anthropic_version: "bedrock-2023-05-31", anthropic_beta: betas });
  });

  test("receives a conversation with another model's turns without that model's signatures", async () => {
    const { relay, sent } = start(14, "claude-sonnet-4-5");
    const foreign = { type: "thinking", thinking: "Hm.", signature: "sluice~gemini~~c2ln" };
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [foreign, { type: "text", text: "Hello" }] },
      { role: "user", content: "And?" },
    ];
    await relay.post("/v1/messages", { model: "claude-sonnet-4-5", max_tokens: 9, messages });
    expect(JSON.stringify(sent().body)).not.toContain("sluice~");
    expect(JSON.stringify(sent().body)).toContain('"text":"Hello"');
  });

  test("receives the settings' betas only in the body if a cloud hosts it", async () => {
    const { relay, sent } = start(33, "claude-sonnet-4-5", {
      "claude.model_headers_settings": '{"claude-sonnet-4-5": {"anthropic-beta": ["context-1m-2025-08-07"]}}',
    });
    const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
    await relay.post("/v1/messages", body, { headers: { "anthropic-beta": "interleaved-thinking-2025-05-14" } });
    const { headers, body: sentBody } = sent();
    expect(headers.get("anthropic-beta")).toBeNull();
    expect(sentBody.anthropic_beta).toEqual(["interleaved-thinking-2025-05-14", "context-1m-2025-08-07"]);
  });

  test.each([
    ["claude-haiku-4-5", {}, 1_000],
    ["claude-sonnet-4-5", {}, 5_000],
    ["claude-haiku-4-5", { max_tokens: 7 }, 7],
  ])("%s with %j has an output limit of %i tokens", async (model, more, limit) => {
    const { chat } = start(14, model, { "claude.default_max_tokens": '{"default": 5000, "claude-haiku-4-5": 1000}' });
    expect((await chat(more)).body.max_tokens).toBe(limit);
  });

  test("reasons with the settings' share of its limit if its name has the suffix", async () => {
    const { chat } = start(14, "claude-3-7-sonnet-20250219-thinking", {
      "claude.thinking_adapter_enabled": "true",
      "claude.thinking_adapter_budget_tokens_percentage": "0.5",
    });
    const { body } = await chat({ max_tokens: 4_000, temperature: 0.2 });
    expect(body).toMatchObject({
      model: "claude-3-7-sonnet-20250219",
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    expect(body).not.toHaveProperty("top_p");
  });
});

test.each([
  [
    46,
    "ernie-4.5-turbo-128k-search",
    { model: "ernie-4.5-turbo-128k", web_search: { enable: true, enable_trace: true } },
  ],
  [1, "o3-mini-high", { model: "o3-mini", reasoning_effort: "high" }],
  [3, "gpt-5-low", { reasoning_effort: "low" }],
  [48, "grok-3-mini-low", { model: "grok-3-mini", reasoning_effort: "low" }],
])("a suffix of a model's name sets the effort for type %i: %s", async (type, model, wished) => {
  const { chat } = start(type, model);
  expect((await chat()).body).toMatchObject(wished);
});

test.each([
  [1, "o3-mini-low", { model: "o3-mini" }],
  [3, "gpt-5-codex-low", { model: "gpt-5-codex" }],
  [48, "grok-3-mini-low", { model: "grok-3-mini" }],
])("does the same for Responses clients, type %i: %s", async (type, model, wished) => {
  const { relay, sent } = start(type, model);
  await relay.post("/v1/responses", { model, input: "Hi", reasoning: { summary: "auto" } });
  expect(sent().path).toContain("/responses");
  expect(sent().body).toMatchObject({ ...wished, reasoning: { effort: "low", summary: "auto" } });
});

test("reasoning is disabled for DeepSeek by its own field, from every client format", async () => {
  const model = "deepseek-v4-pro";
  const { relay, sent } = start(43, model);
  const messages = [{ role: "user", content: "Hi" }];
  await relay.post("/v1/messages", { model, max_tokens: 9, messages, thinking: { type: "disabled" } });
  expect(sent().body.thinking).toEqual({ type: "disabled" });
  await relay.post(`/v1beta/models/${model}:generateContent`, {
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
  });
  expect(sent().body.thinking).toEqual({ type: "disabled" });
  await relay.post("/v1/responses", { model, input: "Hi", reasoning: { effort: "none" } });
  expect(sent().body.thinking).toEqual({ type: "disabled" });
});

test("a site that passes bodies through sends what the client sent", async () => {
  const { relay, upstream } = start(1, "gpt-4o", { "global.pass_through_request_enabled": "true" });
  const text = '{ "model":"gpt-4o",  "messages":[{"role":"user","content":"Hi"}], "made_up": 1.0, "stream":false }';
  await relay.post("/v1/chat/completions", text);
  expect(upstream.received[0]?.text).toBe(text);
});

describe("what a target cannot express", () => {
  const lossy = { logit_bias: { 5: 1 }, seed: 3 };

  test("is reported in a header and in the log row", async () => {
    const { relay, chat } = start(14, "claude-sonnet-4-5");
    await chat(lossy);
    expect((await relay.billing.nextRecord()).other.dropped).toEqual(["seed", "logit_bias"]);
  });

  test("is reported under the client's names, as far as a header can hold them", async () => {
    const { relay } = start(14, "claude-sonnet-4-5");
    const names = [
      "погода",
      "a\nb",
      "🌧 \ud83c",
      "x".repeat(5_000),
      ...Array.from({ length: 100 }, (_, at) => `n${at}`),
    ];
    const body = { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "Hi" }] };
    const response = await relay.post("/v1/chat/completions", {
      ...body,
      ...Object.fromEntries(names.map((name) => [name, 1])),
    });
    expect(response.status).toBe(200);
    const droppedHeader = response.headers.get("x-sluice-dropped") ?? "";
    expect(droppedHeader).toStartWith("%D0%BF%D0%BE%D0%B3%D0%BE%D0%B4%D0%B0, a%0Ab, %F0%9F%8C%A7 %EF%BF%BD, xxx");
    expect(droppedHeader.length).toBeLessThan(1_000);
    expect((await relay.billing.nextRecord()).other.dropped?.slice(0, 2)).toEqual(names.slice(0, 2));
  });

  test.each([
    ["1", 400],
    ["true", 400],
    ["0", 200],
  ])("is rejected if the header requires that: %s", async (strict, status) => {
    const { relay, upstream } = start(14, "claude-sonnet-4-5");
    const body = { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "Hi" }], ...lossy };
    const response = await relay.post("/v1/chat/completions", body, { headers: { "x-sluice-strict": strict } });
    expect(response.status).toBe(status);
    expect(upstream.received).toHaveLength(status === 200 ? 1 : 0);
    if (status === 400) expect(await response.text()).toMatch(/seed.*logit_bias|logit_bias.*seed/);
    else expect(response.headers.get("x-sluice-dropped")).toBe("seed, logit_bias");
  });

  const messages = [{ role: "user", content: "Hi" }];
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 2 };
  test.each<[type: number, path: string, body: object]>([
    [14, "/v1/chat/completions", { messages, ...lossy, prediction: { type: "content", content: "x" } }],
    [24, "/v1/chat/completions", { messages, user: "u", logit_bias: { 5: 1 } }],
    [14, "/v1/responses", { input: "Hi", truncation: "auto", top_logprobs: 2, safety_identifier: "s" }],
    [24, "/v1/messages", { max_tokens: 50, messages, tools: [search], inference_geo: "us" }],
    [1, "/v1/messages", { max_tokens: 50, messages, top_k: 3 }],
    [
      14,
      "/v1beta/models/MODEL:generateContent",
      { contents: [{ parts: [{ text: "Hi" }] }], generationConfig: { seed: 1 } },
    ],
    [14, "/v1/interactions", { input: "Hi", generation_config: { seed: 1 } }],
  ])("is named alike in the header, in the log row and in a strict refusal: type %i, %s", async (type, path, more) => {
    const model = type === 14 ? "claude-sonnet-4-5" : type === 24 ? "gemini-2.5-flash" : "gpt-4o";
    const { relay, upstream } = start(type, model);
    const at = path.replace("MODEL", model);
    const body = { model, ...more };
    const response = await relay.post(at, body);
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    const names = (response.headers.get("x-sluice-dropped") ?? "").split(", ");
    expect(names).not.toEqual([""]);
    expect((await relay.billing.nextRecord()).other.dropped).toEqual(names);
    const strict = await relay.post(at, body, { headers: { "x-sluice-strict": "1" } });
    expect([strict.status, await strict.text()]).toEqual([400, expect.stringContaining(`: ${names.join(", ")}.`)]);
    const refused = await relay.billing.nextRecord(2);
    expect([refused.failed, refused.quota, refused.other.dropped]).toEqual([true, 0, names]);
    expect(upstream.received).toHaveLength(1);
  });
});

describe("Google's endpoints", () => {
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const keys: [string, string, Record<string, string>][] = [
    ["as a header", "", { "x-goog-api-key": "sk-test" }],
    ["in the address", "?key=sk-test", {}],
    ["as everybody else's", "", { authorization: "Bearer sk-test" }],
  ];
  test.each(["/v1beta/models", "/v1/models"])("%s/{model}:generateContent and :streamGenerateContent", async (root) => {
    const { relay } = start(24, "gemini-2.5-flash");
    for (const [, query, headers] of keys) {
      const at = `${relay.url}${root}/gemini-2.5-flash:generateContent${query}`;
      const response = await fetch(at, { method: "POST", headers, body: JSON.stringify({ contents }) });
      expect([response.status, await response.json()]).toMatchObject([200, GEMINI]);
    }
    const array = await relay.post(`${root}/gemini-2.5-flash:streamGenerateContent`, { contents });
    expect(array.headers.get("content-type")).toContain("application/json");
    expect(JSON.parse(await array.text())).toBeArray();
    const events = await relay.post(`${root}/gemini-2.5-flash:streamGenerateContent?alt=sse`, { contents });
    expect(events.headers.get("content-type")).toContain("text/event-stream");
    expect(await events.text()).toStartWith("data: {");
  });
});

test.each([false, true])("a channel may show reasoning in the text (streamed: %p)", async (stream) => {
  const message = { role: "assistant", reasoning_content: "Hm.", content: "Rain." };
  const upstream = startUpstream(() =>
    stream
      ? sse(
          chunk({ reasoning_content: "Hm." }) +
            chunk({ content: "Rain." }) +
            chunk({}, {}, "stop") +
            usageChunk() +
            DONE,
        )
      : Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "stop" }] })),
  );
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, setting: { thinking_to_content: true } }] });
  stops.push(upstream.stop, relay.stop);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }], stream };
  const text = await (await relay.post("/v1/chat/completions", body)).text();
  const content = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece = ""]) => piece).join("");
  expect(JSON.parse(`"${content}"`).replace(/\s/g, "")).toBe("<think>Hm.</think>Rain.");
  expect(text).not.toContain("reasoning_content");
});
