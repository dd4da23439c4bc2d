/** After which errors of its channels a call goes to a fallback model. */
import { afterEach, describe, expect, test } from "bun:test";
import { tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError } from "../call/errors.ts";
import { createPrices, type PricedCall } from "../money/price.ts";
import type { Answer } from "../upstream/receive.ts";
import {
  acrossModels,
  findFallbacks,
  findRoute,
  onTarget,
  priceOrNull,
  routeNames,
  selectModel,
  servedModel,
} from "./model-fallbacks.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

function ask(status: number, error: object) {
  const failing = startUpstream(() => Response.json({ error }, { status }));
  const other = startUpstream(() => Response.json(chatReply({ model: "second" })));
  const relay = startRelay({
    channels: [
      { baseUrl: failing.url, models: ["first"] },
      { baseUrl: other.url, models: ["second"] },
    ],
    options: { ModelRatio: '{"first":1,"second":1}', ModelFallbacks: '{"first":["second"]}' },
  });
  stops.push(relay.stop, failing.stop, other.stop);
  return relay.post("/v1/chat/completions", { model: "first", messages: [{ role: "user", content: "Hi" }] });
}

// RFC 9110: what the provider's account may not do, does not have, or can't take now, and its own failures.
test.each([401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529])(
  "a provider's %p leaves the call to the next model",
  async (status) => {
    const response = await ask(status, { message: "no", type: "error" });
    expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
  },
);

test.each([400, 405, 409, 415, 422])("a provider's %p blames the request, which fails everywhere", async (status) => {
  const response = await ask(status, { message: "no", type: "invalid_request_error" });
  expect(response.ok).toBe(false);
});

test("a prompt that is too long for one model may fit another", async () => {
  const error = { message: "This model's maximum context length is 8192 tokens.", code: "context_length_exceeded" };
  const response = await ask(400, { ...error, type: "invalid_request_error" });
  expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, "second"]);
});

/** Models by name: what each does, and what became of the responses. */
type Outcome = "responds" | "refuses" | "fails" | "blames the request" | "loses its client" | "ends" | "breaks";

async function across(outcomes: readonly Outcome[], route: object | null = null) {
  const events: string[] = [];
  const calls = outcomes.map((_, at) => {
    const entries: Record<string, unknown>[] = [{}];
    const client = { hasLeft: false };
    return {
      call: { summary: { model: `model ${at}` }, progress: { client, attempts: { entries } }, route },
      prices: {},
    } as unknown as PricedCall;
  });
  const [first, ...rest] = calls;
  if (!first) throw new Error("there are no models");
  const at = (call: PricedCall) => calls.indexOf(call);
  const responseOf = (at: number) =>
    ({
      kind: "stream",
      exchange: { abort: () => void events.push(`discards ${at}`), endTimeouts() {} },
      first: new Uint8Array(),
      ended: true,
      outcome: () => (outcomes[at] === "refuses" ? "filtered" : "answered"),
      route: { upstreamModel: `route ${at}`, channel: { costs: null } },
      view: { take: () => "", usage: null },
    }) as unknown as Answer;
  const context = {
    services: { config: {} },
    conversationModels: { keep: (_: unknown, model: string) => void events.push(`keeps ${model}`) },
    queues: {
      run(_: unknown, __: unknown, work: () => unknown) {
        events.push("queued");
        return work();
      },
    },
  } as unknown as Parameters<typeof acrossModels>[0];
  const outcome = await acrossModels(context, [first, ...rest], async (call) => {
    events.push(`asks ${at(call)}`);
    const outcome = outcomes[at(call)];
    if (outcome === "responds" || outcome === "refuses") return responseOf(at(call));
    if (outcome === "loses its client") for (const { call: lost } of calls) lost.progress.client.hasLeft = true;
    if (outcome === "breaks") throw new TypeError("a mistake of the gateway");
    const status = outcome === "blames the request" ? 400 : 500;
    throw new GatewayError(status, outcome === "ends" ? "server_shutting_down" : "", `model ${at(call)}`);
  }).then(
    ({ served, result }) => `${at(served)} by ${result.route.upstreamModel}`,
    (error: GatewayError) => error.message,
  );
  const noted = calls.map(({ call }) => call.progress.attempts.entries[0]);
  return { outcome, events, noted };
}

describe("one model after the other", () => {
  test.each<[string, readonly Outcome[], string, readonly string[]]>([
    ["the first that responds answers", ["responds", "responds"], "0 by route 0", ["asks 0"]],
    ["the next answers after a failure", ["fails", "responds"], "1 by route 1", ["asks 0", "asks 1"]],
    ["the first error is the client's if all fail", ["fails", "fails"], "model 0", ["asks 0", "asks 1"]],
    ["an error in the request ends it", ["blames the request", "responds"], "model 0", ["asks 0"]],
    ["the end of the process ends it", ["ends", "responds"], "model 0", ["asks 0"]],
    ["a mistake of the gateway ends it", ["breaks", "responds"], "a mistake of the gateway", ["asks 0"]],
    ["a client that leaves ends it", ["loses its client", "responds"], "model 0", ["asks 0"]],
    [
      "a response that was withheld gives way to the next",
      ["refuses", "responds"],
      "1 by route 1",
      ["asks 0", "asks 1", "discards 0"],
    ],
    ["the last response is not reviewed", ["refuses"], "0 by route 0", ["asks 0"]],
    [
      "of several that were withheld the first answers",
      ["refuses", "refuses", "refuses"],
      "0 by route 0",
      ["asks 0", "asks 1", "discards 1", "asks 2", "discards 2"],
    ],
    ["a withheld one answers where the others fail", ["refuses", "fails"], "0 by route 0", ["asks 0", "asks 1"]],
    [
      "a withheld one answers after an error in the request",
      ["refuses", "blames the request", "responds"],
      "0 by route 0",
      ["asks 0", "asks 1"],
    ],
    [
      "nobody wants a withheld one when the client has left",
      ["refuses", "loses its client", "responds"],
      "model 1",
      ["asks 0", "asks 1", "discards 0"],
    ],
    ["the last one after a failure is not reviewed", ["fails", "refuses"], "1 by route 1", ["asks 0", "asks 1"]],
  ])("%s", async (_, outcomes, outcome, events) => {
    expect(await across(outcomes)).toMatchObject({ outcome, events: [...events] });
  });

  test("the log notes each response that was withheld", async () => {
    const { noted } = await across(["refuses", "refuses", "responds"]);
    expect(noted.map((entry) => Object.keys(entry ?? {}).length > 0)).toEqual([true, true, false]);
  });

  test("on a route the model that answers is kept for its conversation, and calls wait their turn", async () => {
    const { events } = await across(["fails", "responds"], { conversation: 7n, queue: { most: 1 } });
    expect(events).toEqual(["queued", "asks 0", "asks 1", "keeps model 1"]);
    expect((await across(["responds"], { conversation: null })).events).toEqual(["asks 0"]);
  });
});

describe("models that may take over", () => {
  const MODELS = ["first", "second", "third", "priceless"];
  const setup = (
    fallbacks: readonly string[] = ["second", "priceless", "third"],
    more: Partial<Call> = {},
    caller: Partial<Caller> = {},
  ) => {
    const relay = startRelay({
      channels: MODELS.map((model) => ({ models: [model] })),
      options: {
        ModelRatio: '{"first":1,"second":1,"third":1}',
        ModelFallbacks: JSON.stringify({ first: fallbacks, closed: ["nobody", "third"] }),
      },
    });
    stops.push(relay.stop);
    const context = { services: relay.services, prices: createPrices(relay.services.settings) };
    const callOf = (model: string) =>
      ({
        ...{
          endpoint: { capability: "chat" },
          summary: { model },
          changes: {},
          fallbackFrom: null,
          fallbacks: [],
          route: null,
        },
        caller: { user: userEntry(), token: null, group: "default", pinnedChannelId: null, ...caller },
        candidates: relay.services.channels.candidates("default", model) ?? { model, tiers: [] },
        ...more,
      }) as unknown as Call;
    const names = (model: string) => findFallbacks(context, callOf(model)).map(({ call }) => call.summary.model);
    return { context, callOf, names };
  };

  test.each<[string, string, Parameters<typeof setup>, readonly string[]]>([
    ["those that the operator lists, with channels and a price", "first", [], ["second", "third"]],
    ["none of a model without such a list", "second", [], []],
    ["those that the client lists instead", "first", [undefined, { fallbacks: ["third"] }], ["third"]],
    ["those after the model that took over", "second", [undefined, { fallbackFrom: "first" }], ["third"]],
    ["never the model itself", "first", [["first", "second"]], ["second"]],
    ["none on a named channel", "first", [undefined, {}, { pinnedChannelId: 1 }], []],
    ["none for embeddings", "first", [undefined, { endpoint: { capability: "embeddings" } as never }], []],
    [
      "those of completions",
      "first",
      [undefined, { endpoint: { capability: "completions" } as never }],
      ["second", "third"],
    ],
    [
      "none for a call whose channels were chosen for it",
      "first",
      [undefined, { candidates: { model: "first", tiers: [] } }],
      [],
    ],
  ])("are %s", (_, model, values, expected) => expect(setup(...values).names(model)).toEqual([...expected]));

  test("may be used by keys that are limited to the requested name only where that has no channels", () => {
    const token = (...models: readonly string[]) => ({ token: tokenEntry({ modelLimits: new Set(models) }) });
    expect(setup(["second", "third"], {}, token("first")).names("first")).toEqual([]);
    expect(setup(["second", "third"], {}, token("first", "third")).names("first")).toEqual(["third"]);
    const { context, callOf } = setup(undefined, {}, token("closed"));
    expect(selectModel(context as never, callOf("closed")).summary.model).toBe("third");
    const other = setup(undefined, {}, token("second"));
    expect(selectModel(other.context as never, other.callOf("closed")).summary.model).toBe("closed");
  });

  test("on a route are its targets after the call's own, without those that have no price", () => {
    const { context, callOf } = setup();
    const targets = MODELS.map((model) => ({ model, candidates: callOf(model).candidates }));
    const names = (call: Call) => findFallbacks(context, call).map(({ call: { summary } }) => summary.model);
    const on = (model: string, more: Partial<Call> = {}) =>
      names({ ...callOf(model), fallbackFrom: "smart", route: { targets } as never, ...more });
    expect([on("first"), on("second"), on("third"), on("priceless")]).toEqual([["second", "third"], ["third"], [], []]);
    expect(on("first", { candidates: { model: "first", tiers: [] } })).toEqual([]);
  });

  test("do not hide a mistake in a price", () => {
    expect(priceOrNull(() => 7)).toBe(7);
    expect(
      priceOrNull(() => {
        throw new GatewayError(500, "model_price_error", "no price");
      }),
    ).toBeNull();
    expect(() =>
      priceOrNull(() => {
        throw new TypeError("a mistake");
      }),
    ).toThrow("a mistake");
  });

  test("are another model's until the call returns to the one that was requested", () => {
    const { callOf } = setup();
    const second = onTarget(callOf("first"), { model: "second", candidates: callOf("second").candidates });
    expect([second.fallbackFrom, second.changes.model, second.candidates.model]).toEqual(["first", "second", "second"]);
    const third = onTarget(second, { model: "third", candidates: callOf("third").candidates });
    expect([third.fallbackFrom, third.summary.model]).toEqual(["first", "third"]);
    expect(onTarget(third, { model: "first", candidates: callOf("first").candidates }).fallbackFrom).toBeNull();
  });

  test("begin with the first that has channels, where the model has none", () => {
    const { context, callOf } = setup();
    const chosen = selectModel(context as never, callOf("closed"));
    expect([chosen.summary.model, chosen.fallbackFrom, chosen.changes.model]).toEqual(["third", "closed", "third"]);
    const [own, unknown] = [callOf("first"), callOf("unknown")];
    expect(selectModel(context as never, own)).toBe(own);
    expect(selectModel(context as never, unknown)).toBe(unknown);
  });
});

test.each([
  ["ModelRoutes", "chat", {}, true],
  ["ModelRoutes", "completions", {}, true],
  ["ModelRoutes", "embeddings", {}, false],
  ["ModelRoutes", "chat", { pinnedChannelId: 1 }, false],
])("a route of %s serves calls of %s with %j: %p", (_, capability, caller, isFound) => {
  const routes = {
    smart: { candidates: [{ model: "gpt-4o" }] },
    off: { enabled: false, candidates: [{ model: "gpt-4o" }] },
  };
  const relay = startRelay({ channels: [{}], options: { ModelRoutes: JSON.stringify(routes) } });
  stops.push(relay.stop);
  const callOf = (model: string, candidates = { model, tiers: [] }) =>
    ({
      ...{ endpoint: { capability }, summary: { model }, candidates },
      caller: { user: userEntry(), token: null, group: "default", pinnedChannelId: null, ...caller },
    }) as unknown as Call;
  expect(findRoute({ services: relay.services }, callOf("smart")) !== null).toBe(isFound);
  expect(findRoute({ services: relay.services }, callOf("off"))).toBeNull();
  expect(findRoute({ services: relay.services }, callOf("other"))).toBeNull();
});

describe("names without channels of their own", () => {
  const routes = {
    smart: {
      candidates: [{ model: "absent" }, { model: "vip-only", groups: ["vip"] }, { model: "gpt-4o" }],
    },
    exclusive: { candidates: [{ model: "vip-only", groups: ["vip"] }] },
    off: { enabled: false, candidates: [{ model: "gpt-4o" }] },
    "gpt-4o": { candidates: [{ model: "vip-only" }] },
  };
  const fallbacks = { cheap: ["absent", "gpt-4o"], smart: ["vip-only"], lost: ["absent"], "vip-only": ["gpt-4o"] };
  const open = () => {
    const relay = startRelay({
      channels: [
        { models: ["gpt-4o"], groups: ["default", "vip"] },
        { models: ["vip-only"], groups: ["vip"] },
      ],
      options: { ModelRoutes: JSON.stringify(routes), ModelFallbacks: JSON.stringify(fallbacks) },
    });
    stops.push(relay.stop);
    return relay.services;
  };

  test.each([
    ["default", "smart", "gpt-4o"],
    ["vip", "smart", "vip-only"],
    ["default", "exclusive", null],
    ["vip", "exclusive", "vip-only"],
    ["default", "off", null],
    ["vip", "off", null],
    ["default", "cheap", "gpt-4o"],
    ["default", "lost", null],
    ["default", "vip-only", "gpt-4o"],
    ["vip", "vip-only", "vip-only"],
    ["default", "gpt-4o", "gpt-4o"],
    ["vip", "gpt-4o", "vip-only"],
    ["default", "unknown", null],
  ])("in the group %s, %s is served by %p", (group, name, model) => {
    expect(servedModel(open(), { group }, name)).toBe(model);
  });

  test.each([
    ["default", ["cheap", "smart", "vip-only"]],
    ["vip", ["cheap", "exclusive", "smart"]],
  ])("that the group %s can call are %j", (group, names) => {
    expect(routeNames(open(), { group }).sort()).toEqual(names);
  });
});
