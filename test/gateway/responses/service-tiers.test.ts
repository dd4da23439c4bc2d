/** What the service tier that a response names costs, in every client's format, passed through and translated. */
import { afterEach, describe, expect, test } from "bun:test";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, pacedSse, sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Options = Partial<Record<OptionKey, string>>;
type Answer = Parameters<typeof startUpstream>[0];

function start(type: number, model: string, answer: Answer, options: Options = {}, channel: object = {}) {
  const upstream = startUpstream(answer);
  const relay = startRelay({ channels: [{ type, baseUrl: upstream.url, models: [model], ...channel }], options });
  stops.push(upstream.stop, relay.stop);
  return Object.assign(relay, { received: upstream.received });
}

const IN = 100_000;
const OUT = 10_000;

/** 100,000 tokens in and 10,000 out, as each upstream answers. */
const upstreams = {
  openai: {
    type: 1,
    model: "gpt-5",
    answer: (stream: boolean, tier: string) => {
      const usage = { prompt_tokens: IN, completion_tokens: OUT, total_tokens: IN + OUT };
      const named = { model: "gpt-5", service_tier: tier };
      if (!stream) return Response.json(chatReply({ usage, ...named }));
      return sse(
        chunk({ role: "assistant", content: "Hi" }, named) +
          chunk({}, named, "stop") +
          chunk({}, { ...named, choices: [], usage }) +
          DONE,
      );
    },
  },
  responses: {
    type: 1,
    model: "gpt-5",
    answer: (stream: boolean, tier: string) => {
      const usage = { input_tokens: IN, output_tokens: OUT, total_tokens: IN + OUT };
      const content = [{ type: "output_text", text: "Hi", annotations: [] }];
      const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
      const response = {
        ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-5" },
        ...{ output: [message], usage, service_tier: tier },
      };
      if (!stream) return Response.json(response);
      const begun = { ...response, status: "in_progress", output: [], usage: null, service_tier: "auto" };
      const events = [
        { type: "response.created", response: begun },
        { type: "response.output_item.done", output_index: 0, item: message },
        { type: "response.completed", response },
      ];
      return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    },
  },
  anthropic: {
    type: 14,
    model: "claude-opus-4-6",
    answer: (stream: boolean, speed: string) => {
      const usage = {
        ...{ input_tokens: IN, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: OUT },
        ...{ service_tier: "standard", speed, inference_geo: "global" },
      };
      const message = {
        ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-opus-4-6" },
        ...{ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", stop_sequence: null, usage },
      };
      if (!stream) return Response.json(message);
      const events = [
        {
          type: "message_start",
          message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: OUT },
        },
        { type: "message_stop" },
      ];
      return sse(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    },
  },
  gemini: {
    type: 24,
    model: "gemini-2.5-pro",
    answer: (stream: boolean, tier: string) => {
      const answer = {
        candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }],
        usageMetadata: {
          ...{ promptTokenCount: IN, candidatesTokenCount: OUT, totalTokenCount: IN + OUT },
          ...(tier.startsWith("ON_") ? { trafficType: tier } : { serviceTier: tier }),
        },
        modelVersion: "gemini-2.5-pro",
      };
      return stream ? sse(`data: ${JSON.stringify(answer)}\n\n`) : Response.json(answer);
    },
  },
} as const;

const messages = [{ role: "user", content: "Hello" }];
/** How each client asks, and where its format has the tier of a response. */
const clients = {
  chat: {
    path: () => "/v1/chat/completions",
    body: (model: string, stream: boolean) => ({ model, messages, stream }),
    place: /"service_tier":"([a-z]+)"/,
  },
  responses: {
    path: () => "/v1/responses",
    body: (model: string, stream: boolean) => ({ model, input: "Hello", stream }),
    place: /"service_tier":"([a-z]+)"(?![\s\S]*"service_tier")/,
  },
  messages: {
    path: () => "/v1/messages",
    body: (model: string, stream: boolean) => ({ model, messages, stream, max_tokens: 20_000 }),
    place: /"(?:service_tier|speed)":"(priority|flex|fast)"/,
  },
  gemini: {
    path: (model: string, stream: boolean) =>
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: () => ({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
    place: /"serviceTier":"([a-z]+)"/,
  },
} as const;

type Case = [keyof typeof upstreams, keyof typeof clients, string, number, string, string | null];

const each = (upstream: Case[0], tier: string, units: number, logged: string, shown: Record<string, string | null>) =>
  Object.entries(shown).map(([client, word]): Case => [upstream, client as Case[1], tier, units, logged, word]);

const CASES: Case[] = [
  ...each("openai", "priority", 225_000, "priority", {
    chat: "priority",
    messages: "priority",
    gemini: "priority",
  }),
  ...each("openai", "fast", 225_000, "priority", { chat: "fast", messages: "priority", gemini: "priority" }),
  ...each("openai", "flex", 56_250, "flex", { chat: "flex", messages: null, gemini: "flex" }),
  // A tier that the list has no price for: by the site's multiplier for others, which is 2.
  ...each("openai", "warp", 225_000, "warp", { chat: "warp", messages: null, gemini: null }),
  ...each("openai", "scale", 112_500, "scale", { chat: "scale" }),
  ...each("responses", "priority", 225_000, "priority", { responses: "priority" }),
  ...each("responses", "flex", 56_250, "flex", { responses: "flex" }),
  ...each("anthropic", "fast", 2_250_000, "fast", { messages: "fast", chat: "default", gemini: "standard" }),
  ...each("gemini", "priority", 202_500, "priority", {
    gemini: "priority",
    chat: "priority",
    responses: "priority",
    messages: "priority",
  }),
  ...each("gemini", "ON_DEMAND_PRIORITY", 202_500, "priority", { gemini: null, chat: "priority" }),
  ...each("gemini", "ON_DEMAND_FLEX", 56_250, "flex", { chat: "flex" }),
];

describe.each([false, true])("streamed: %p", (stream) => {
  test.each(CASES)("%s to a client of %s: %s costs %p units", async (from, to, tier, units, logged, shown) => {
    const { type, model, answer } = upstreams[from];
    const relay = start(type, model, () => answer(stream, tier));
    const client = clients[to];
    const response = await relay.post(client.path(model, stream), client.body(model, stream));
    const text = await response.text();
    expect(response.status).toBe(200);
    const { quota, other } = await relay.billing.nextRecord();
    expect({ quota, tier: other.service_tier, receipt: other.receipt?.serviceTier }).toEqual({
      quota: units,
      tier: logged,
      receipt: logged,
    });
    expect(client.place.exec(text)?.[1] ?? null).toBe(shown);
  });

  test.each(["default", "auto"])("%s is the standard price", async (tier) => {
    const relay = start(1, "gpt-5", () => upstreams.openai.answer(stream, tier));
    await (await relay.post("/v1/chat/completions", clients.chat.body("gpt-5", stream))).text();
    const { quota, other } = await relay.billing.nextRecord();
    expect([quota, other.service_tier]).toEqual([112_500, undefined]);
  });
});

test("what the response names counts, not what was asked for; the row shows that it was asked for", async () => {
  const relay = start(1, "gpt-5", () => upstreams.openai.answer(false, "default"));
  await relay.post("/v1/chat/completions", { ...clients.chat.body("gpt-5", false), service_tier: "priority" });
  const { quota, other } = await relay.billing.nextRecord();
  expect([quota, other.service_tier, other.receipt?.serviceTier]).toEqual([112_500, "default", undefined]);
});

test("Bedrock's tier and its optimized latency", async () => {
  const answer = (extra: object) => () =>
    Response.json({
      output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 990, outputTokens: 10, totalTokens: 1_000 },
      ...extra,
    });
  const model = "amazon.nova-pro-v1:0";
  const options = {
    ModelRatio: JSON.stringify({ [model]: 1 }),
    CompletionRatio: JSON.stringify({ [model]: 1 }),
    ServiceTiers: JSON.stringify({
      [model]: { priority: { input: 1.75, output: 1.75 }, optimized: { input: 1.25, output: 1.25 } },
    }),
  };
  const quotaOf = async (extra: object) => {
    const relay = start(1007, model, answer(extra), options, { keys: ["bedrock-key|us-east-1"] });
    const body = { model, messages, service_tier: "priority" };
    const response = await relay.post("/v1/chat/completions", body);
    expect(JSON.parse(relay.received[0]?.text ?? "{}").serviceTier).toEqual({ type: "priority" });
    const { service_tier: shown } = await response.json();
    const { quota, other } = await relay.billing.nextRecord();
    return [quota, other.service_tier, shown];
  };
  expect(await quotaOf({ serviceTier: { type: "priority" } })).toEqual([1_750, "priority", "priority"]);
  expect(await quotaOf({ serviceTier: { type: "default" } })).toEqual([1_000, "default", "default"]);
  expect(await quotaOf({ performanceConfig: { latency: "optimized" } })).toEqual([1_250, "optimized", undefined]);
});

test.each([false, true])("Mistral names its tier in the usage (streamed: %p)", async (stream) => {
  const model = "mistral-medium-latest";
  const options = {
    ModelRatio: JSON.stringify({ [model]: 1 }),
    CompletionRatio: JSON.stringify({ [model]: 1 }),
    ServiceTiers: JSON.stringify({ [model]: { priority: { input: 1.75, output: 1.75 } } }),
  };
  const answer = (tier: string) => () => {
    const usage = { prompt_tokens: 990, completion_tokens: 10, total_tokens: 1_000, service_tier: tier };
    const head = { id: "1", object: stream ? "chat.completion.chunk" : "chat.completion", created: 5, model };
    const part = { role: "assistant", content: "Hi" };
    const choice = { index: 0, finish_reason: "stop", [stream ? "delta" : "message"]: part };
    const body = { ...head, choices: [choice], usage };
    return stream
      ? new Response(`data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n`, {
          headers: { "content-type": "text/event-stream" },
        })
      : Response.json(body);
  };
  const quotaOf = async (tier: string) => {
    const relay = start(42, model, answer(tier), options);
    const body = { model, messages, stream, service_tier: "priority" };
    await (await relay.post("/v1/chat/completions", body)).text();
    expect(JSON.parse(relay.received[0]?.text ?? "{}").service_tier).toBe("auto");
    const { quota, other } = await relay.billing.nextRecord();
    return [quota, other.service_tier];
  };
  expect(await quotaOf("priority")).toEqual([1_750, "priority"]);
  expect(await quotaOf("standard")).toEqual([1_000, "default"]);
});

test("US inference and fast mode multiply each other", async () => {
  const relay = start(14, "claude-opus-4-6", async () => {
    const message = await upstreams.anthropic.answer(false, "fast").json();
    return Response.json({ ...message, usage: { ...message.usage, inference_geo: "us" } });
  });
  await relay.post("/v1/messages", clients.messages.body("claude-opus-4-6", false));
  const { quota, other } = await relay.billing.nextRecord();
  expect([quota, other.service_tier]).toEqual([2_475_000, "fast, geo:us"]);
});

test("a stream that broke before its end is charged in the tier that it named", async () => {
  const named = { model: "gpt-5", service_tier: "priority" };
  const broken = (tier: object) => () =>
    pacedSse([chunk({ role: "assistant", content: "Hello there, traveler" }, tier), 50, new Error("broken")]);
  const quotaOf = async (tier: object, body: object) => {
    const relay = start(1, "gpt-5", broken(tier));
    await (await relay.post("/v1/chat/completions", { ...clients.chat.body("gpt-5", true), ...body })).text();
    return (await relay.billing.nextRecord()).quota;
  };
  const standard = await quotaOf({}, {});
  expect(standard).toBeGreaterThan(0);
  expect(await quotaOf(named, {})).toBe(standard * 2);
  // It named none: the tier that was asked for.
  expect(await quotaOf({}, { service_tier: "priority" })).toBe(standard * 2);
});

describe("the hold", () => {
  const heldFor = async (body: object, options: Options = {}, channel: object = {}) => {
    const relay = start(1, "gpt-5", () => upstreams.openai.answer(false, "default"), options, channel);
    await relay.post("/v1/chat/completions", { ...clients.chat.body("gpt-5", false), max_tokens: 1_000, ...body });
    return relay.billing.holds[0]?.amount ?? 0;
  };

  test("covers the most expensive tier that was asked for", async () => {
    const standard = await heldFor({});
    // The member that names the tier makes the request longer.
    const near = (amount: number, factor: number) => {
      expect(amount).toBeGreaterThanOrEqual(standard * factor);
      expect(amount).toBeLessThanOrEqual((standard + 50) * factor);
    };
    for (const tier of ["priority", "fast", "auto"]) near(await heldFor({ service_tier: tier }), 2);
    // Flex may be answered by the standard tier.
    near(await heldFor({ service_tier: "flex" }), 1);
    near(await heldFor({ service_tier: "warp" }, { ServiceTierMultipliers: '{"*": 6}' }), 6);
    near(await heldFor({}, {}, { paramOverride: { service_tier: "priority" } }), 2);
  });
});

describe("a tier without a price", () => {
  const refuse = { UnpricedServiceTier: "refuse" };
  test("is refused before the call, by option", async () => {
    const relay = start(1, "gpt-4o", () => upstreams.openai.answer(false, "flex"), refuse);
    const body = { ...clients.chat.body("gpt-4o", false), service_tier: "flex" };
    const response = await relay.post("/v1/chat/completions", body);
    expect([response.status, (await response.json()).error.code]).toEqual([400, "service_tier_not_priced"]);
    expect([relay.received.length, relay.billing.openHolds]).toEqual([0, 0]);
    for (const tier of ["priority", "default", "auto", "fast"]) {
      expect((await relay.post("/v1/chat/completions", { ...body, service_tier: tier })).status).toBe(200);
    }
  });

  test("that nobody asked for is charged by the multiplier, also where tiers are refused", async () => {
    const relay = start(1, "gpt-4o", () => upstreams.openai.answer(false, "warp"), refuse);
    await relay.post("/v1/chat/completions", clients.chat.body("gpt-4o", false));
    const { quota, other } = await relay.billing.nextRecord();
    expect([quota, other.receipt?.isGeneralTier]).toEqual([350_000, true]);
  });

  test.each([
    ["/v1/messages", { speed: "fast" }],
    ["/v1/messages", { inference_geo: "us" }],
    ["/v1/responses", { service_tier: "flex" }],
  ])("of %s with %p is refused too", async (path, members) => {
    const relay = start(14, "claude-haiku-4-5", () => upstreams.anthropic.answer(false, "fast"), refuse);
    const body = { ...clients.messages.body("claude-haiku-4-5", false), input: "Hello", ...members };
    expect((await relay.post(path, body)).status).toBe(400);
    expect(relay.received).toHaveLength(0);
  });
});
