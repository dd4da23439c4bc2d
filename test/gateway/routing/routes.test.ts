/** Named routes: names that clients use as a model, and the models behind them. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, pacedSse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;
type Behavior = () => Response | Promise<Response>;

const MESSAGES = [{ role: "user", content: "Hi" }];
const answerAfter = async (ms: number, model: string) => {
  await Bun.sleep(ms);
  return Response.json(chatReply({ model }));
};
const busy = () => Response.json({ error: { message: "overloaded", type: "server_error" } }, { status: 503 });

/** Models “cheap”, “middle” (three times the price) and “large” (ten times), each on a channel of its own. */
function start(route: object, setup: Setup = {}, behaviors: Readonly<Record<string, Behavior>> = {}) {
  const models = ["cheap", "middle", "large"];
  const upstreams = models.map((model) =>
    startUpstream(({ path }) => {
      if (path !== "/v1/chat/completions") return new Response("404 page not found", { status: 404 });
      return behaviors[model]?.() ?? Response.json(chatReply({ model }));
    }),
  );
  const relay = startRelay({
    channels: upstreams.map(({ url }, at) => ({
      baseUrl: url,
      models: [models[at] ?? ""],
      tag: at === 0 ? "eu" : "us",
    })),
    ...setup,
    options: {
      ModelRatio: '{"cheap":1,"middle":3,"large":10}',
      ModelRoutes: JSON.stringify({ best: route }),
      ...setup.options,
    },
  });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const ask = (body: object = {}, init: { headers?: Record<string, string> } = {}) =>
    relay.post("/v1/chat/completions", { model: "best", messages: MESSAGES, ...body }, init);
  const served = async (body: object = {}, init: { headers?: Record<string, string> } = {}) => {
    const response = await ask(body, init);
    return response.ok ? response.headers.get("x-sluice-model") : (await response.json()).error.code;
  };
  return { relay, upstreams, ask, served };
}

const of = (...models: readonly (string | object)[]) =>
  models.map((model) => (typeof model === "string" ? { model } : model));

describe("a call to a route", () => {
  test("is served by its first candidate, charged and logged by it, and the upstream never sees the route", async () => {
    const { relay, ask, upstreams } = start({ candidates: of("middle", "cheap") });
    const response = await ask();
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "middle"]);
    expect(JSON.parse(upstreams[1]?.received[0]?.text ?? "")).toEqual({ model: "middle", messages: MESSAGES });
    const row = await relay.billing.nextRecord();
    // Of chatReply's usage: 10 tokens in, 5 out, at three times the base price.
    expect(row).toMatchObject({ modelName: "middle", channelId: 2, quota: 45, failed: false });
    expect(row.other.requested_model).toBe("best");
    expect(relay.billing.openHolds).toBe(0);
  });

  test("falls back over its candidates; the hold covers the most expensive, the charge is exactly the last one's", async () => {
    const { relay, ask } = start({ candidates: of("cheap", "middle", "large") }, {}, { cheap: busy, middle: busy });
    const response = await ask({ max_tokens: 100 });
    expect(response.headers.get("x-sluice-model")).toBe("large");
    const row = await relay.billing.nextRecord();
    expect(row).toMatchObject({ modelName: "large", channelId: 3, quota: 150, failed: false });
    expect(row.other.admin_info?.attempts.map(({ channelId }) => channelId)).toEqual([1, 2, 3]);
    const own = start({ candidates: of("large") });
    await own.ask({ max_tokens: 100 });
    expect(relay.billing.holds[0]?.amount).toBe(own.relay.billing.holds[0]?.amount ?? Number.NaN);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("is not charged when every candidate fails", async () => {
    const { relay, ask } = start({ candidates: of("cheap", "middle") }, {}, { cheap: busy, middle: busy });
    expect((await ask()).status).toBe(503);
    expect(await relay.billing.nextRecord()).toMatchObject({ modelName: "cheap", failed: true, quota: 0 });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("works in every chat format", async () => {
    const { relay } = start({ candidates: of("cheap") });
    const answers = [
      await relay.post("/v1/messages", { model: "best", messages: MESSAGES, max_tokens: 9 }),
      await relay.post("/v1/responses", { model: "best", input: "Hi" }),
      await relay.post("/v1beta/models/best:generateContent", {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
      }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get("x-sluice-model")])).toEqual(
      answers.map(() => [200, "cheap"]),
    );
  });

  test("tries the models that the client lists after its candidates", async () => {
    const { served } = start({ candidates: of("cheap") }, {}, { cheap: busy });
    expect(await served({ models: ["best", "large"] })).toBe("large");
  });

  test("passes over candidates without channels or a price", async () => {
    const options = { ModelRatio: '{"cheap":1}' };
    const { served } = start({ candidates: of("nobody", "large", "cheap") }, { options });
    expect(await served()).toBe("cheap");
  });

  test("is rejected with a reason where no channel serves it", async () => {
    const { relay, ask } = start({ candidates: of("nobody") });
    const response = await ask();
    expect([response.status, (await response.json()).error.code]).toEqual([503, "model_not_available"]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("is one to an unknown model where the route is disabled, or the call is no chat", async () => {
    const { served } = start({ candidates: of("cheap"), enabled: false });
    expect(await served()).toBe("model_not_found");
    const { relay } = start({ candidates: of("cheap") });
    expect((await relay.post("/v1/embeddings", { model: "best", input: "Hi" })).status).toBe(404);
  });

  test("keeps its channel where an administrator's key names one", async () => {
    const { relay, upstreams } = start({ candidates: of("cheap") }, { user: { role: 10 } });
    const headers = { authorization: "Bearer sk-test-3" };
    await relay.post("/v1/chat/completions", { model: "best", messages: MESSAGES }, { headers });
    expect(upstreams.map(({ received }) => received.length)).toEqual([0, 0, upstreams[2]?.received.length ?? -1]);
  });
});

describe("conditions", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];

  test("choose by length, content and tools", async () => {
    const { served } = start({
      candidates: of(
        { model: "large", image: true },
        { model: "middle", tools: true },
        { model: "cheap", max_prompt_tokens: 100 },
      ),
    });
    expect(await served()).toBe("cheap");
    expect(await served({ tools })).toBe("middle");
    expect(await served({ messages: [{ role: "user", content: [image] }] })).toBe("large");
    expect(await served({ messages: [{ role: "user", content: "word ".repeat(200) }] })).toBe("route_not_applicable");
  });

  test("choose by tags of the header and of the metadata", async () => {
    const { served } = start({ candidates: of({ model: "large", tags: ["gold", "plan=gold"] }, "cheap") });
    expect(await served()).toBe("cheap");
    expect(await served({}, { headers: { "x-sluice-tags": "beta, gold" } })).toBe("large");
    expect(await served({ metadata: { plan: "gold" } })).toBe("large");
    expect(await served({ metadata: { tags: "silver,gold" } })).toBe("large");
    expect(await served({ metadata: { plan: "silver" } })).toBe("cheap");
  });

  test("choose by group and by the channels' tag", async () => {
    const { served } = start({
      candidates: of(
        { model: "large", groups: ["vip"] },
        { model: "middle", channel_tags: ["eu"] },
        { model: "cheap", channel_tags: ["eu"] },
      ),
    });
    expect(await served()).toBe("cheap");
  });

  test("choose by the channels' region, also where another region has a better channel", async () => {
    const upstreams = ["us-east-1", "eu-central-1", null].map((region) => ({
      region,
      ...startUpstream(() => Response.json(chatReply({ model: "m" }))),
    }));
    stops.push(...upstreams.map(({ stop }) => stop));
    const channels = upstreams.map(({ url, region }, at) => ({
      ...{ baseUrl: url, models: ["m"], priority: at === 1 ? 0 : 9 },
      setting: region === null ? {} : { region },
    }));
    const fallback = startUpstream(() => Response.json(chatReply({ model: "other" })));
    stops.push(fallback.stop);
    const relay = startRelay({
      channels: [...channels, { baseUrl: fallback.url, models: ["other"] }],
      options: {
        ModelRatio: '{"m":1,"other":1}',
        ModelRoutes: JSON.stringify({
          europe: { candidates: of({ model: "m", regions: ["eu-*"] }) },
          exact: { candidates: of({ model: "m", regions: ["us-east", "eu-central-1"] }) },
          asia: { candidates: of({ model: "m", regions: ["ap-*"] }, "other") },
          nowhere: { candidates: of({ model: "m", regions: ["ap-*"] }, { model: "other", regions: ["*"] }) },
        }),
      },
    });
    stops.push(relay.stop);
    const ask = (model: string) => relay.post("/v1/chat/completions", { model, messages: MESSAGES });
    const counts = () => upstreams.map(({ received }) => received.length);
    for (const model of ["europe", "exact", "europe"]) expect((await ask(model)).status).toBe(200);
    expect(counts()).toEqual([0, 3, 0]);
    expect((await ask("asia")).headers.get("x-sluice-model")).toBe("other");
    const refused = await ask("nowhere");
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, "model_not_available"]);
    expect([counts(), fallback.received.length]).toEqual([[0, 3, 0], 1]);
    expect(relay.billing.openHolds).toBe(0);
  });
});

describe("strategies", () => {
  test("weighted draws by weight", async () => {
    const draws = [0.9, 0.1, 0.1, 0.9];
    const { served } = start(
      { strategy: "weighted", candidates: of({ model: "cheap", weight: 1 }, { model: "large", weight: 1 }) },
      { random: () => draws.shift() ?? 0 },
    );
    expect(await served()).toBe("large");
  });

  test("least-cost chooses the cheapest for this call", async () => {
    const { served } = start({ strategy: "least-cost", candidates: of("large", "middle", "cheap") });
    expect(await served()).toBe("cheap");
  });

  test("least-latency chooses by the figures of earlier calls", async () => {
    const { relay, served } = start(
      { strategy: "least-latency", candidates: of("cheap", "large") },
      { random: () => 0.99 },
      { cheap: () => answerAfter(600, "cheap"), large: () => answerAfter(6, "large") },
    );
    expect(await served()).toBe("cheap");
    await relay.post("/v1/chat/completions", { model: "large", messages: MESSAGES });
    expect(await served()).toBe("large");
  });

  test("figures of streams are the time to the first token and the rate after it", async () => {
    const usage = usageChunk({ prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 });
    const { relay, ask } = start(
      { strategy: "least-latency", candidates: of("cheap", "large") },
      {},
      {
        cheap: () => pacedSse([20, chunk({ content: "Hello" }), 20, usage, DONE]),
      },
    );
    await (await ask({ stream: true })).text();
    const figures = () => {
      const { route } = relay.explain({ model: "best", group: "default", promptTokens: 10 });
      return route?.candidates.find(({ model }) => model === "cheap")?.figures;
    };
    await until(() => figures()?.tokensPerSecond != null);
    const { firstTokenMs, tokensPerSecond, latencyMs } = figures() ?? {};
    expect(firstTokenMs).toBeGreaterThan(0);
    expect(tokensPerSecond).toBeGreaterThan(0);
    // Of a response of 500 tokens.
    expect(latencyMs).toBeCloseTo((firstTokenMs ?? 0) + 500_000 / (tokensPerSecond ?? 1), 6);
  });

  test("an explanation names what an experiment gets of the route's calls", async () => {
    const experiment = { mode: "canary", candidate: { model: "large" }, percent: 30 };
    const { relay } = start({ candidates: of("cheap"), experiment });
    const { route } = relay.explain({ model: "best", group: "default", promptTokens: 10 });
    expect(route?.experiment).toEqual({ mode: "canary", model: "large", percent: 30 });
    const { route: plain } = start({ candidates: of("cheap") }).relay.explain({
      ...{ model: "best", group: "default", promptTokens: 10 },
    });
    expect(plain?.experiment).toBeNull();
  });

  test("least-busy avoids the channel with calls in progress", async () => {
    const gate = Promise.withResolvers<void>();
    const { served, upstreams } = start(
      { strategy: "least-busy", candidates: of("cheap", "large") },
      {},
      {
        cheap: async () => {
          await gate.promise;
          return Response.json(chatReply({ model: "cheap" }));
        },
      },
    );
    const first = served();
    while (upstreams[0]?.received.length === 0) await Bun.sleep(1);
    expect(await served()).toBe("large");
    gate.resolve();
    expect(await first).toBe("cheap");
  });

  test("a candidate whose channels cool down comes last", async () => {
    let fails = true;
    const { served } = start(
      { candidates: of("cheap", "large") },
      {},
      {
        cheap: () =>
          fails
            ? Response.json({ error: { message: "slow down" } }, { status: 429 })
            : Response.json(chatReply({ model: "cheap" })),
      },
    );
    expect(await served()).toBe("large");
    fails = false;
    expect(await served()).toBe("large");
  });
});

describe("what continues an earlier call", () => {
  test("stays with the model that served it, while that can", async () => {
    let isDown = false;
    const { served } = start(
      { strategy: "weighted", candidates: of("cheap", "large") },
      // Draws in turn: the first model, the second, ….
      { random: alternating() },
      { large: () => (isDown ? busy() : Response.json(chatReply({ model: "large" }))) },
    );
    const turn = [...MESSAGES, { role: "assistant", content: "Hello" }, { role: "user", content: "More" }];
    for (let at = 0; at < 6; at += 1) expect(await served({ messages: turn })).toBe("large");
    const others = [await served(), await served()];
    expect(new Set(others).size).toBe(2);
    isDown = true;
    expect(await served({ messages: turn })).toBe("cheap");
    isDown = false;
    expect(await served({ messages: turn })).toBe("cheap");
  });

  test("goes to the channel that stores it, though the route would choose another model", async () => {
    const stored = { id: "resp_1", object: "response", status: "completed", model: "cheap", output: [], usage: null };
    const upstreams = [startUpstream(() => Response.json(stored)), startUpstream(() => Response.json(stored))];
    const relay = startRelay({
      channels: upstreams.map(({ url }, at) => ({ baseUrl: url, models: [at === 0 ? "cheap" : "large"] })),
      options: {
        ModelRatio: '{"cheap":1,"large":10}',
        ModelRoutes: JSON.stringify({ best: { strategy: "weighted", candidates: of("cheap", "large") } }),
      },
      random: alternating(),
    });
    stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
    const ask = (body: object) => relay.post("/v1/responses", { model: "best", input: "Hi", ...body });
    const { id } = await (await ask({})).json();
    const first = upstreams.findIndex(({ received }) => received.length === 1);
    for (let at = 0; at < 4; at += 1) expect((await ask({ previous_response_id: id })).status).toBe(200);
    expect([upstreams[first]?.received.length, upstreams[1 - first]?.received.length]).toEqual([5, 0]);
  });
});

/** For two candidates of equal weight: first the one, then the other. */
function alternating(): () => number {
  const draws = [0.9, 0.1, 0.1, 0.9];
  return () => {
    const [next = 0] = draws.splice(0, 1);
    draws.push(next);
    return next;
  };
}

describe("a limited key", () => {
  const limitedTo = (...models: string[]) => ({ tokens: { test: { modelLimits: new Set(models) } } });

  test("reaches no other model through a route that it is not limited to", async () => {
    const { served } = start({ candidates: of("large", "cheap") }, limitedTo("cheap"));
    expect(await served()).toBe("model_not_allowed");
  });

  test("limited to the route's name reaches its models, but only through it", async () => {
    const { served } = start({ candidates: of("large", "cheap") }, limitedTo("best"));
    expect([await served(), await served({ model: "large" })]).toEqual(["large", "model_not_allowed"]);
  });

  test("limited to a model reaches no other one through a route with that model's name", async () => {
    const options = { ModelRoutes: JSON.stringify({ cheap: { candidates: of("large", "cheap", "middle") } }) };
    const { relay, upstreams } = start({ candidates: [] }, { ...limitedTo("cheap"), options }, { cheap: busy });
    const response = await relay.post("/v1/chat/completions", { model: "cheap", messages: MESSAGES });
    expect([response.status, upstreams.map(({ received }) => received.length)]).toEqual([503, [1, 0, 0]]);
  });
});

describe("the list of models", () => {
  const listed = async (setup: Setup, ...candidates: (string | object)[]) => {
    const { relay } = start({ candidates: of(...candidates) }, setup);
    const { data } = await (await relay.get("/v1/models")).json();
    const names = data.map(({ id }: { id: string }) => id);
    expect((await relay.get("/v1/models/best")).status).toBe(names.includes("best") ? 200 : 404);
    return names.includes("best");
  };

  test("has a route that the caller may use", async () => {
    expect(await listed({}, "nobody", "cheap")).toBe(true);
    expect(await listed({}, "nobody")).toBe(false);
    expect(await listed({}, { model: "cheap", groups: ["vip"] })).toBe(false);
    expect(await listed({}, { model: "cheap", channel_tags: ["us"] })).toBe(false);
    expect(await listed({}, { model: "cheap", regions: ["*"] })).toBe(false);
    expect(await listed({ tokens: { test: { modelLimits: new Set(["cheap"]) } } }, "cheap")).toBe(false);
  });
});
