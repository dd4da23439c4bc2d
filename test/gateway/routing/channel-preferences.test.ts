/** `provider` preferences of a request, as OpenRouter's clients send them. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MESSAGES = [{ role: "user", content: "Hi" }];
const OPENAI = 1;
const CUSTOM = 8;
const OPENROUTER = 20;

type Channel = Readonly<{ name: string; type?: number; fails?: boolean; model?: string; priority?: number }>;

/** Channels of the model “m”; each answers with its name, or fails. */
function start(channels: readonly Channel[], options: Record<string, string> = {}) {
  const upstreams = channels.map(({ name, fails }) =>
    startUpstream(() =>
      fails ? Response.json({ error: { message: "down" } }, { status: 503 }) : Response.json(chatReply({ id: name })),
    ),
  );
  const relay = startRelay({
    channels: channels.map(({ name, type = OPENAI, model, priority = 0 }, at) => ({
      name,
      type,
      priority,
      baseUrl: upstreams[at]?.url ?? "",
      models: ["m"],
      ...(model && { modelMapping: new Map([["m", model]]) }),
    })),
    options: { ModelRatio: '{"cheap":1,"dear":10,"m":1}', ...options },
  });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const ask = (provider: unknown, body: object = {}) =>
    relay.post("/v1/chat/completions", { model: "m", messages: MESSAGES, provider, ...body });
  const served = async (provider: unknown) => {
    const response = await ask(provider);
    const reply = await response.json();
    return response.ok ? reply.id : reply.error.code;
  };
  return { relay, upstreams, ask, served };
}

const THREE = [
  { name: "Azure East", type: CUSTOM, priority: 9 },
  { name: "main", type: OPENAI },
  { name: "spare", type: OPENAI, priority: -1 },
];

describe("channels are chosen by", () => {
  test.each([
    [{}, "Azure East"],
    [null, "Azure East"],
    [{ only: ["openai"] }, "main"],
    [{ only: ["OpenAI"], ignore: ["main"] }, "spare"],
    [{ ignore: ["azure-east"] }, "main"],
    [{ order: ["spare"] }, "spare"],
    [{ order: ["nobody", "spare"], allow_fallbacks: false }, "spare"],
    [{ order: null, only: null, sort: null }, "Azure East"],
    [{ only: ["nobody"] }, "no_allowed_provider"],
    [{ order: ["nobody"], allow_fallbacks: false }, "no_allowed_provider"],
    [{ data_collection: "deny" }, "no_allowed_provider"],
  ])("%j: %s", async (provider, name) => {
    expect(await start(THREE).served(provider)).toBe(name);
  });

  test("price and its limit", async () => {
    const { served } = start(
      [
        { name: "expensive", model: "dear", priority: 9 },
        { name: "good value", model: "cheap" },
      ],
      // Only the upstream names have prices, $2 and $20 for a million tokens.
      { ModelRatio: '{"cheap":1,"dear":10}' },
    );
    expect(await served({})).toBe("expensive");
    expect(await served({ sort: "price" })).toBe("good value");
    expect(await served({ max_price: { prompt: 2 } })).toBe("good value");
    expect(await served({ max_price: { prompt: "20" } })).toBe("expensive");
    expect(await served({ max_price: { prompt: 1.99 } })).toBe("no_allowed_provider");
  });
});

describe("when a channel fails", () => {
  const failing = [{ ...THREE[0], name: "first", fails: true }, ...THREE.slice(1)];

  test("the next one listed is tried, though the operator allows no retries", async () => {
    expect(await start(failing).served({ order: ["first", "spare"] })).toBe("spare");
  });

  test("no other is tried if the client allows none", async () => {
    const { ask, upstreams } = start(failing, { RetryTimes: "3" });
    expect((await ask({ allow_fallbacks: false })).status).toBe(503);
    expect(upstreams.map(({ received }) => received.length)).toEqual([1, 0, 0]);
    expect((await ask({ order: ["first"], allow_fallbacks: false })).status).toBe(503);
    expect(upstreams.slice(1).map(({ received }) => received.length)).toEqual([0, 0]);
  });

  test("another model may still take over", async () => {
    const options = { ModelFallbacks: '{"x":["m"]}' };
    const { ask } = start(THREE, options);
    const response = await ask({ only: ["main"] }, { model: "x" });
    expect([(await response.json()).id, response.headers.get("x-sluice-model")]).toEqual(["main", "m"]);
  });
});

const CONTENTS = [{ role: "user", parts: [{ text: "Hi" }] }];

describe("the member itself", () => {
  test("reaches no upstream but OpenRouter", async () => {
    const provider = { order: ["azure"], data_collection: "deny" };
    const { ask, upstreams, relay } = start([
      { name: "main", priority: 9 },
      { name: "or", type: OPENROUTER },
    ]);
    expect((await (await ask(provider)).json()).id).toBe("or");
    await ask({});
    const [main, openRouter] = upstreams.map(({ received }) => JSON.parse(received[0]?.text ?? "{}"));
    expect(openRouter).toEqual({ model: "m", messages: MESSAGES, provider });
    expect(main).toEqual({ model: "m", messages: MESSAGES });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("names what only OpenRouter follows where the model has no channel of it", async () => {
    const { ask } = start([{ name: "main" }]);
    const response = await ask({ order: ["main"], data_collection: "deny" });
    expect(response.status).toBe(404);
    expect((await response.json()).error.message).toContain(
      "Only channels of OpenRouter follow “provider.data_collection”",
    );
  });

  test("is removed where bodies pass untouched", async () => {
    const { ask, upstreams } = start([{ name: "main" }], { "global.pass_through_request_enabled": "true" });
    await ask({ only: ["main"] });
    expect(JSON.parse(upstreams[0]?.received[0]?.text ?? "")).toEqual({ model: "m", messages: MESSAGES });
  });

  test("works in Anthropic's format, in Responses and in Gemini's", async () => {
    const { relay } = start(THREE);
    const provider = { only: ["nobody"] };
    const answers = [
      await relay.post("/v1/messages", { model: "m", messages: MESSAGES, max_tokens: 9, provider }),
      await relay.post("/v1/responses", { model: "m", input: "Hi", provider }),
      await relay.post("/v1beta/models/m:generateContent", { contents: CONTENTS, provider }),
      await relay.post("/v1beta/models/m:streamGenerateContent?alt=sse", { contents: CONTENTS, provider }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await answers[2]?.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  });

  test.each([
    ["openai", "provider"],
    [[], "provider"],
    [{ order: "openai" }, "provider.order"],
    [{ only: [1] }, "provider.only.0"],
    [{ allow_fallbacks: "yes" }, "provider.allow_fallbacks"],
    [{ sort: "speed" }, "provider.sort"],
    [{ max_price: { prompt: -1 } }, "provider.max_price.prompt"],
    [{ max_price: { prompt: "free" } }, "provider.max_price.prompt"],
    [{ max_price: 3 }, "provider.max_price"],
  ])("%j is refused, naming %s", async (provider, param) => {
    const { ask, upstreams } = start([{ name: "main" }]);
    const response = await ask(provider);
    expect([response.status, (await response.json()).error.param]).toEqual([400, param]);
    expect(upstreams[0]?.received).toEqual([]);
  });
});
