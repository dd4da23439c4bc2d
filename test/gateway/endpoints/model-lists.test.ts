/** Lists of models as the clients of each API read them. */
import { afterEach, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { startRelay } from "../../support/gateway/start-gateway.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const MODELS = ["claude-opus-4-8", "gpt-4o", "fast", "mystery", "dall-e-3"];

function start() {
  const relay = startRelay({
    channels: [{ models: MODELS, modelMapping: new Map([["fast", "gemini-2.5-flash"]]) }],
    options: { GroupRatio: '{"default": 2}' },
  });
  stops.push(relay.stop);
  return relay;
}

test("OpenAI's client lists models with context, prices and capabilities as OpenRouter has them", async () => {
  const client = new OpenAI({ baseURL: `${start().url}/v1`, apiKey: "sk-test" });
  const models = new Map((await Array.fromAsync(client.models.list())).map((model) => [model.id, { ...model }]));
  expect([...models.keys()].toSorted()).toEqual(MODELS.toSorted());
  expect<unknown>(models.get("claude-opus-4-8")).toEqual({
    id: "claude-opus-4-8",
    object: "model",
    created: 1_626_777_600,
    owned_by: "openai",
    root: "claude-opus-4-8",
    parent: null,
    shutdown_date: null,
    canonical_slug: "claude-opus-4-8",
    name: "Claude Opus 4.8",
    context_length: 1_000_000,
    architecture: {
      modality: "text+image+file->text",
      input_modalities: ["text", "image", "file"],
      output_modalities: ["text"],
      tokenizer: "Claude",
      instruct_type: null,
    },
    // Twice the list price: 5, 25, 0.5, 6.25 and 10 dollars a million tokens.
    pricing: {
      prompt: "0.00001",
      completion: "0.00005",
      request: "0",
      input_cache_read: "0.000001",
      input_cache_write: "0.0000125",
      input_cache_write_1h: "0.00002",
    },
    top_provider: { context_length: 1_000_000, max_completion_tokens: 128_000, is_moderated: false },
    per_request_limits: null,
    supported_parameters: [
      ...["max_tokens", "stop", "tools", "tool_choice", "response_format", "structured_outputs"],
      ...["reasoning", "include_reasoning"],
    ],
    expiration_date: null,
    type: "base",
    capabilities: {
      completion_chat: true,
      completion_fim: false,
      function_calling: true,
      fine_tuning: false,
      vision: true,
    },
    max_context_length: 1_000_000,
    context_window: 1_000_000,
    max_model_len: 1_000_000,
    max_output_tokens: 128_000,
    aliases: [],
    deprecation: null,
  });
  expect<unknown>(models.get("gpt-4o")).toMatchObject({
    shutdown_date: "2027-01-14",
    expiration_date: "2027-01-14",
    deprecation: "2027-01-14T00:00:00Z",
  });
  // A mapped name has what its upstream's name has.
  expect<unknown>(models.get("fast")).toMatchObject({ context_length: 1_048_576, pricing: { prompt: "0.0000006" } });
  expect<unknown>(models.get("dall-e-3")).toMatchObject({ pricing: { prompt: "0", completion: "0", request: "0.08" } });
  expect<unknown>(models.get("mystery")).toMatchObject({
    name: "mystery",
    context_length: null,
    pricing: null,
    top_provider: { context_length: null, max_completion_tokens: null },
    supported_parameters: ["max_tokens", "stop", "temperature", "top_p"],
  });
  expect(models.get("mystery")).not.toHaveProperty("max_context_length");
  expect<unknown>({ ...(await client.models.retrieve("gpt-4o")) }).toEqual(models.get("gpt-4o"));
});

test("Anthropic's client reads limits from its list", async () => {
  const client = new Anthropic({ baseURL: start().url, apiKey: "sk-test" });
  const models = await Array.fromAsync(client.models.list());
  expect(models.map(({ id }) => id).toSorted()).toEqual(MODELS.toSorted());
  expect(await client.models.retrieve("claude-opus-4-8")).toMatchObject({
    type: "model",
    display_name: "Claude Opus 4.8",
    max_input_tokens: 1_000_000,
    max_tokens: 128_000,
    retires_at: null,
  });
  expect(models.find(({ id }) => id === "mystery")).toMatchObject({ max_input_tokens: null, max_tokens: null });
});

test("Google's client reads limits from its list", async () => {
  const relay = start();
  const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
  const models = await Array.fromAsync(await client.models.list());
  const fast = models.find(({ name }) => name === "models/fast");
  expect(fast).toMatchObject({ displayName: "Gemini 2.5 Flash", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 });
  expect(models.find(({ name }) => name === "models/mystery")?.inputTokenLimit).toBeUndefined();
  expect(await client.models.get({ model: "fast" })).toMatchObject({ outputTokenLimit: 65_536 });
  const beta = await relay.get("/v1beta/models", { "x-goog-api-key": "sk-test" });
  expect(await beta.json()).toEqual(await (await relay.get("/v1/models", { "x-goog-api-key": "sk-test" })).json());
});

test("Codex reads the context windows that are known, and efforts that it knows", async () => {
  const response = await start().get("/v1/models?client_version=0.171.0", { authorization: "Bearer sk-test" });
  const { data, models } = await response.json();
  expect(data).toHaveLength(MODELS.length);
  expect(models.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual(["claude-opus-4-8", "fast", "gpt-4o"]);
  const opus = models.find(({ slug }: { slug: string }) => slug === "claude-opus-4-8");
  expect(opus).toMatchObject({
    display_name: "Claude Opus 4.8",
    context_window: 1_000_000,
    max_context_window: 1_000_000,
    supports_reasoning_summaries: true,
    input_modalities: ["text", "image"],
  });
  expect(opus.base_instructions).toContain("Codex");
  const efforts = opus.supported_reasoning_levels.map(({ effort }: { effort: string }) => effort);
  expect(efforts).toContain("high");
  expect(efforts).not.toContain("max");
  expect(await (await start().get("/v1/models", { authorization: "Bearer sk-test" })).json()).not.toHaveProperty(
    "models",
  );
});
