/**
 * Which name of a model has the price: the requested one, else the upstream name of the channel that serves the call.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { OwnKeys } from "../../domain/channels/provider-keys/own-keys.ts";
import { decimal, integer, multiply, toText } from "../../lib/values/decimal.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { Endpoint } from "../call/endpoint.ts";
import { createPrices, noPrice, possiblePrices, priceCall, priceUnder, upstreamNames } from "./price.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const PRICES: Partial<Record<OptionKey, string>> = {
  ModelRatio: '{"cheap": 1, "dear": 30, "own": 5, "o3-mini-high": 4, "o3-mini": 2, "cat-1": 1, "tts-1": 2}',
  CompletionRatio: '{"cheap": 2, "dear": 2, "own": 2, "o3-mini-high": 2, "o3-mini": 2}',
  ModelPrice: '{"picture": 0.04}',
  RetryTimes: "3",
};
const messages = [{ role: "user", content: "Hello" }];
const answered = () => Response.json(chatReply({ usage: { prompt_tokens: 100, completion_tokens: 10 } }));
const broken = () => Response.json({ error: { message: "out of order", type: "server_error" } }, { status: 500 });
/** (100 + 10 × 2) × the ratio, in quota units. */
const costOf = (ratio: number) => 120 * ratio;

type Known = Readonly<{ as: string; answer: () => Response; channel?: Partial<ChannelEntry> }>;

/** Channels with these upstream names for the model `requested`, tried in this order. */
function start(requested: string, known: readonly Known[], options: Partial<Record<OptionKey, string>> = {}) {
  const upstreams = known.map(({ answer }) => startUpstream(answer));
  const relay = startRelay({
    channels: known.map(({ as, channel }, at) => ({
      baseUrl: upstreams[at]?.url ?? "",
      priority: -at,
      models: [requested],
      modelMapping: new Map([[requested, as]]),
      ...channel,
    })),
    options: { ...PRICES, ...options },
  });
  stops.push(relay.stop, ...upstreams.map(({ stop }) => stop));
  const ask = (body: object = { messages, max_tokens: 50 }, path = "/v1/chat/completions") =>
    relay.post(path, { model: requested, ...body });
  return { relay, upstreams, ask };
}

test.each([
  ["requested: its price holds, whatever the upstream's name is", "own", "dear", 5],
  ["upstream: its price holds where the requested name has none", "alias", "dear", 30],
  ["effort: a name with its effort is priced under its own entry", "o3-mini-high", "o3-mini-high", 4],
])("%s", async (_, requested, as, ratio) => {
  const { relay, ask } = start(requested, [{ as, answer: answered }]);
  expect((await ask()).status).toBe(200);
  const { quota, modelName, other } = await relay.billing.nextRecord();
  expect({ quota, modelName, ratio: other.model_ratio }).toEqual({ quota: costOf(ratio), modelName: requested, ratio });
});

test("prefix: the rest of the name has the price", async () => {
  const channel = { models: ["cheap"], modelPrefix: "vip-", modelMapping: new Map() };
  const { relay, ask } = start("vip-cheap", [{ as: "", answer: answered, channel }]);
  expect((await ask()).status).toBe(200);
  expect(await relay.billing.nextRecord()).toMatchObject({ quota: costOf(1), modelName: "vip-cheap" });
});

test("prefix: the price of the rest does not count if it is mapped to another name", async () => {
  const channel = { models: ["cheap"], modelPrefix: "vip-", modelMapping: new Map([["cheap", "nameless"]]) };
  const { relay, ask, upstreams } = start("vip-cheap", [{ as: "", answer: answered, channel }]);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "model_price_error" } }]);
  expect([relay.billing.holds.length, upstreams[0]?.received.length]).toEqual([0, 0]);
});

test.each([
  ["dear", "cheap", 1],
  ["cheap", "dear", 30],
])("retry: from %s to %s the call is charged for the channel that responded", async (first, second, ratio) => {
  const { relay, ask } = start("alias", [
    { as: first, answer: broken },
    { as: second, answer: answered },
  ]);
  expect((await ask()).status).toBe(200);
  const { quota, other } = await relay.billing.nextRecord();
  expect(quota).toBe(costOf(ratio));
  expect(other).toMatchObject({
    model_ratio: ratio,
    upstream_model_name: second,
    admin_info: { use_channel: ["1", "2"] },
  });
  // The hold covers the most expensive price; its 50 output tokens alone cost 50 × 2 × 30.
  expect(other.reserved).toBeGreaterThan(3_000);
  expect(relay.billing.openHolds).toBe(0);
});

test("retry: a token price replaces a fixed one", async () => {
  const { relay, ask } = start("alias", [
    { as: "picture", answer: broken },
    { as: "cheap", answer: answered },
  ]);
  await ask();
  const { quota, other } = await relay.billing.nextRecord();
  expect({ quota, price: other.model_price, reserved: other.reserved }).toEqual({
    quota: costOf(1),
    price: -1,
    reserved: 20_000,
  });
});

test("retry: speech is measured by the model that responded", async () => {
  const speech = () => new Response(new Uint8Array(9), { headers: { "content-type": "audio/mpeg" } });
  const known = [
    { as: "cat-1", answer: broken },
    { as: "tts-1", answer: speech },
  ];
  const { relay, ask } = start("alias", known);
  await (await ask({ input: "Hello there", voice: "alloy" }, "/v1/audio/speech")).arrayBuffer();
  // 11 characters × 2, not the tokens of two words.
  expect((await relay.billing.nextRecord()).quota).toBe(22);
});

test("no price: a channel whose model name has none is skipped if others have one", async () => {
  const known = [
    { as: "nameless", answer: answered },
    { as: "cheap", answer: answered },
  ];
  const { relay, ask, upstreams } = start("alias", known);
  expect((await ask()).status).toBe(200);
  expect((await relay.billing.nextRecord()).quota).toBe(costOf(1));
  expect(upstreams.map(({ received }) => received.length)).toEqual([0, 1]);
});

test("no price: if no name has one, the call is rejected", async () => {
  const known = [
    { as: "nameless", answer: answered },
    { as: "unknown", answer: answered },
  ];
  const { relay, ask, upstreams } = start("alias", known);
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "model_price_error" } }]);
  expect([relay.billing.holds.length, ...upstreams.map(({ received }) => received.length)]).toEqual([0, 0, 0]);
});

test("remembered: prices of the same channels differ by group, by name and by who accepts models without a price", () => {
  const texts = { ModelRatio: '{"known":2,"other":3}', GroupRatio: '{"default":1,"vip":0.5}' };
  let current = fixedSettings(texts);
  const settings: SettingsReader = {
    get values() {
      return current.values;
    },
    get: (key) => current.get(key),
    get version() {
      return current.version;
    },
  };
  const { ofCandidates } = createPrices(settings);
  const candidates = { model: "known", tiers: [] };
  const ratioOf = (group: string, model: string, acceptUnsetPrice = false, of = candidates) => {
    const { price } = ofCandidates({ group, user: { acceptUnsetPrice } }, model, of);
    return [Number(price.groupRatio), price.kind === "per_token" ? Number(price.modelRatio) : null];
  };
  const ask = () => [ratioOf("default", "known"), ratioOf("vip", "known"), ratioOf("default", "other")];
  expect([...ask(), ...ask()]).toEqual([
    [1, 2],
    [0.5, 2],
    [1, 3],
    [1, 2],
    [0.5, 2],
    [1, 3],
  ]);
  const unknown = { model: "unknown", tiers: [] };
  expect(ratioOf("default", "unknown", true, unknown)).toEqual([1, 37.5]);
  expect(() => ratioOf("default", "unknown", false, unknown)).toThrow();
  current = { ...fixedSettings({ ...texts, ModelRatio: '{"known":7}' }), version: 2 };
  expect(ratioOf("default", "known")).toEqual([1, 7]);
});

describe("what users of a group pay in another", () => {
  const candidates = { model: "known", tiers: [] };
  const ask = (prices: ReturnType<typeof createPrices>, userGroup: string) =>
    prices.ofCandidates({ group: "default", user: { acceptUnsetPrice: false, group: userGroup } }, "known", candidates);

  test("is theirs, whoever called before with the same channels", () => {
    const prices = createPrices(
      fixedSettings({ ModelRatio: '{"known":2}', GroupGroupRatio: '{"vip":{"default":0.3},"staff":{"default":0}}' }),
    );
    const ratios = ["vip", "default", "staff", "vip"].map((group) => Number(ask(prices, group).price.groupRatio));
    expect(ratios).toEqual([0.3, 1, 0, 0.3]);
    const payer = { group: "default", user: { acceptUnsetPrice: false, group: "vip" } };
    expect(prices.usd(payer, "known", ["known"])?.prompt).toBe("0.0000012");
    expect(Number(prices.of(payer, "known", "known").groupRatio)).toBe(0.3);
    expect(Number(prices.of({ ...payer, user: { ...payer.user, group: "staff" } }, "known", "known").groupRatio)).toBe(
      0,
    );
  });

  test("is the same for all where no group has such a ratio: they share a price", () => {
    const prices = createPrices(fixedSettings({ ModelRatio: '{"known":2}' }));
    expect(ask(prices, "vip")).toBe(ask(prices, "staff"));
  });

  test("is taken for tasks too, by the upstream's name where the site prices by it", () => {
    const costOf = (byUpstream: boolean, user: object) => {
      const prices = createPrices(
        fixedSettings({
          ModelPrice: '{"asked":0.5,"sent":0.2}',
          GroupGroupRatio: '{"vip":{"default":0.3}}',
          PriceByUpstreamModel: String(byUpstream),
        }),
      );
      const price = prices.ofTask({ group: "default", user } as Caller, "asked", decimal("0.1"), "sent");
      return price.kind === "per_call" && [toText(price.usdPerCall), toText(price.groupRatio)];
    };
    expect(costOf(false, { group: "vip" })).toEqual(["0.5", "0.3"]);
    expect(costOf(true, { group: "vip" })).toEqual(["0.2", "0.3"]);
    expect(costOf(true, { group: "default" })).toEqual(["0.2", "1"]);
  });
});

test("a task costs the fixed price of its model, else its ratio in dollars, else what its kind costs", () => {
  const sale = { group: "vip", percent: 10, from: "2020-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };
  const prices = createPrices(
    fixedSettings({
      ModelPrice: '{"fixed":0.5}',
      ModelRatio: '{"by-token":3}',
      GroupRatio: '{"default":1,"vip":0.8}',
      GroupDiscounts: JSON.stringify([sale]),
    }),
  );
  const costOf = (model: string, group: string) => {
    const price = prices.ofTask({ group, user: {} } as Caller, model, decimal("0.1"));
    if (price.kind !== "per_call") throw new Error("not a price of a call");
    const { pricedAs, usdPerCall, groupRatio, discount } = price;
    return [pricedAs, toText(usdPerCall), toText(groupRatio), discount && toText(discount.percent)];
  };
  expect(costOf("fixed", "default")).toEqual(["fixed", "0.5", "1", undefined]);
  expect(costOf("by-token", "default")).toEqual(["by-token", "3", "1", undefined]);
  expect(costOf("unknown", "default")).toEqual(["unknown", "0.1", "1", undefined]);
  expect(costOf("fixed", "vip")).toEqual(["fixed", "0.5", "0.72", "10"]);
  expect(costOf("by-token", "vip")).toEqual(["by-token", "3", "0.72", "10"]);
  expect(costOf("unknown", "vip")).toEqual(["unknown", "0.1", "0.72", "10"]);
  expect(costOf("unknown", "unlisted")).toEqual(["unknown", "0.1", "1", undefined]);
});

test("prices in dollars name the parts that a model has for itself", () => {
  const prices = createPrices(
    fixedSettings({
      ModelRatio: '{"plain":1,"claude-x":1,"x-audio":1}',
      ModelPrice: '{"draws":0.04}',
      QuotaPerUnit: "500000",
    }),
  );
  const partsOf = (model: string) => {
    const usd = prices.usd({ group: "default", user: { acceptUnsetPrice: false } }, model, [model]);
    return usd && Object.keys(usd).sort();
  };
  const always = ["completion", "input_cache_read", "prompt", "request"];
  expect(partsOf("plain")).toEqual(always);
  expect(partsOf("claude-x")).toEqual([...always, "input_cache_write", "input_cache_write_1h"].sort());
  expect(partsOf("x-audio")).toEqual([...always, "audio", "audio_output"].sort());
  expect(partsOf("draws")).toEqual(["completion", "prompt", "request"]);
  expect(partsOf("unknown")).toBeNull();
  expect(prices.usd({ group: "default", user: { acceptUnsetPrice: false } }, "plain", ["plain"])?.prompt).toBe(
    "0.000002",
  );
});

describe("a call whose price depends on more than its model", () => {
  /** The price of one image times their number; nine is a mistake of the gateway, thirteen has no price. */
  const priceOf: Endpoint["priceOf"] = (price, { prompt: { n = 1 } }, name) => {
    if (price.kind !== "per_call" || (n === 9 && name !== "art")) throw new TypeError("out of order");
    if (n === 13) throw noPrice("thirteen");
    return { ...price, usdPerCall: multiply(price.usdPerCall, integer(Number(n))) };
  };
  const settings = fixedSettings({ ModelPrice: '{"art":0.5,"fine-art":2}', ModelRatio: "{}" });
  const prices = createPrices(settings);
  const [FLUX, OPENAI, TENCENT] = [1013, 1, 23];

  const priced = (
    channels: readonly Partial<ChannelEntry>[],
    {
      endpoint = {},
      n = 1,
      model = "alias",
      form = false,
    }: { endpoint?: object; n?: number; model?: string; form?: boolean } = {},
  ) => {
    const entries = channels.map((fields, at) =>
      channelEntry({
        ...{ id: at + 1, type: OPENAI, models: [model], modelMapping: new Map([["alias", "art"]]) },
        ...fields,
      }),
    );
    const call = {
      endpoint: { capability: "images", priceOf, ...endpoint },
      caller: { group: "default", user: {} },
      candidates: { model, tiers: [{ priority: 0, channels: entries }] },
      ...{ summary: { model }, prompt: { n }, body: form ? { form: {} } : {} },
    } as unknown as Call;
    const found = priceCall(prices, call);
    const usdOf = (price: Price) => (price.kind === "per_call" ? Number(price.usdPerCall) : null);
    const under = entries.map((channel) => {
      const name = channel.modelMapping.get(model) ?? model;
      return usdOf(priceUnder(found, channel, name));
    });
    return { under, possible: [...possiblePrices(found)].map(usdOf), byChannel: found.byChannel };
  };
  const mapped = { modelMapping: new Map([["alias", "fine-art"]]) };

  test.each<[string, readonly Partial<ChannelEntry>[], readonly number[], readonly number[]]>([
    ["has one price where no channel overrides it", [{}, { paramOverride: {} }], [1, 1], [1, 1]],
    ["has the price of each channel's name", [{}, mapped], [1, 4], [1, 4]],
    ["is as dear as each channel's override makes it", [{}, { paramOverride: { n: 6 } }], [1, 3], [1, 3]],
    ["ignores overrides that it cannot be priced with", [{}, { paramOverride: { n: 13 } }], [1, 1], [1]],
    [
      "ignores overrides in a provider's own format",
      [{ paramOverride: { n: 6 }, type: FLUX }, { paramOverride: { n: 4 } }],
      [1, 2],
      [1, 2],
    ],
  ])("%s", (_, channels, under, possible) => {
    const found = priced(channels, { n: 2 });
    expect([found.under, found.possible]).toEqual([[...under], [...possible]]);
  });

  test.each([
    [["app|id|secret"], [0.5]],
    [["sk-plain", "app|id|secret"], [3]],
    [[], [3]],
  ])("of a provider whose format follows from the first of the keys %j costs %j", (keys, under) => {
    const endpoint = { capability: "embeddings" };
    expect(priced([{ paramOverride: { n: 6 }, type: TENCENT, keys }], { endpoint }).under).toEqual(under);
  });

  test("has a price for each of its names and each channel's override", () => {
    const found = priced([mapped, {}, { ...mapped, paramOverride: { n: 3 } }, { paramOverride: { n: 5 } }]);
    expect([found.under, found.possible]).toEqual([
      [2, 0.5, 6, 2.5],
      [2, 0.5, 6, 2.5],
    ]);
  });

  test.each([
    ["of a form", { form: true }],
    ["of a task", { endpoint: { capability: "video" } }],
  ])("%s knows no overrides", (_, options) => {
    const { under, byChannel } = priced([{ paramOverride: { n: 6 } }], options);
    expect([under, byChannel]).toEqual([[0.5], null]);
  });

  test.each<[string, Partial<ChannelEntry>]>([
    ["without overrides", {}],
    ["with an override that is empty", { paramOverride: {} }],
  ])("%s keeps no prices by channel", (_, channel) => {
    expect(priced([channel]).byChannel === null).toBe(channel.paramOverride === undefined);
  });

  test("does not take a mistake of the gateway for a missing price", () => {
    expect(() => priced([{}, mapped], { n: 9 })).toThrow("out of order");
    expect(() => priced([{ ...mapped, paramOverride: { n: 9 } }])).toThrow("out of order");
    expect(() => priced([{}, mapped], { n: 13 })).toThrow("thirteen");
  });

  test("costs what its kind costs where its model has no price", () => {
    const endpoint = { capability: "music", priceOf: undefined, usdWithoutPrice: decimal("0.1") };
    const of = (model: string) => priced([{ paramOverride: { n: 2 } }], { endpoint, model });
    expect([of("unheard-of").under, of("art").under, of("art").byChannel]).toEqual([[0.1], [0.5], null]);
    expect(() => priced([{}], { endpoint: { priceOf: undefined }, model: "unheard-of" })).toThrow();
  });
});

test("prices are worked out once, and at most 5,000 are kept", () => {
  const prices = createPrices(fixedSettings({ ModelRatio: '{"known":2}' }));
  const of = (model: string) => prices.of({ group: "default", user: { acceptUnsetPrice: true } }, model, model);
  const first = of("known");
  for (let other = 1; other < 5000; other += 1) of(`other-${other}`);
  expect(of("known")).toBe(first);
  const last = of("one too many");
  expect(of("one too many")).toBe(last);
  expect(of("known")).not.toBe(first);
  expect(of("known")).toEqual(first);
});

test("the names of a model's channels are listed once for each name that is requested", () => {
  const channel = channelEntry({ models: ["m"], modelPrefix: "vip-", modelMapping: new Map([["m", "upstream"]]) });
  const candidates = { model: "m", tiers: [{ priority: 0, channels: [channel, channelEntry({ models: ["m"] })] }] };
  const names = upstreamNames(candidates, "m");
  expect(names).toEqual(["upstream", "m"]);
  expect(upstreamNames(candidates, "m")).toBe(names);
  expect(upstreamNames(candidates, "vip-m")).not.toBe(names);
});

describe("prices of keys of the caller's own", () => {
  const fee = { percent: decimal(5), usdPerCall: decimal("0.001") };
  const stored = { userId: 1, name: "mine", type: 1, key: "sk-own-key", baseUrl: "", models: ["*"] } as const;
  const site = channelEntry({ modelMapping: new Map([["cheap", "dear"]]) });
  const priced = (mode: "first" | "only", channels: readonly ChannelEntry[] = [site], requested = "cheap") => {
    const keys = new OwnKeys([{ ...stored, id: 7, mode }], fee);
    const tiers = channels.length === 0 ? [] : [{ priority: 0, channels }];
    const candidates = keys.merge({ model: requested, tiers }, requested);
    const caller = { group: "default", user: { acceptUnsetPrice: false, group: "default" }, ownKeys: keys };
    const call = { endpoint: {}, caller, candidates, summary: { model: requested } } as unknown as Call;
    const prices = createPrices(fixedSettings(PRICES));
    return { prices, call, priced: priceCall(prices, call), own: candidates.tiers[0]?.channels[0] as ChannelEntry };
  };
  const ratios = (all: Iterable<Price>) =>
    [...all].map(({ groupRatio, serviceFee }) => [toText(groupRatio), serviceFee === fee]);

  test("are a share of the model's, and the site's stay as they are", () => {
    const { priced: both, own } = priced("first");
    // Each name that the site's channels and the key's provider have for the model.
    expect(ratios(possiblePrices(both))).toEqual([
      ["1", false],
      ["1", false],
      ["0.05", true],
    ]);
    expect(ratios([priceUnder(both, own, "cheap"), priceUnder(both, site, "dear")])).toEqual([
      ["0.05", true],
      ["1", false],
    ]);
  });

  test("are the only ones where no channel of the site may take over", () => {
    const { priced: alone, own } = priced("only");
    expect(ratios(possiblePrices(alone))).toEqual([
      ["0.05", true],
      ["0.05", true],
    ]);
    expect(ratios([alone.price, priceUnder(alone, own, "cheap")])).toEqual([
      ["0.05", true],
      ["0.05", true],
    ]);
    expect(ratios(possiblePrices(priced("first", []).priced))).toEqual([
      ["0.05", true],
      ["0.05", true],
    ]);
  });

  test("are made once, also of a price that was made already", () => {
    const { prices, call, priced: first, own } = priced("first");
    const again = priceCall(prices, call);
    expect(priceUnder(again, own, "cheap")).toBe(priceUnder(first, own, "cheap"));
    expect(priceUnder({ ...first, byChannel: null }, own, "cheap")).toBe(priceUnder(first, own, "cheap"));
  });

  test("differ by the name that the key's provider has for the model", () => {
    const other = channelEntry({ id: 2, modelMapping: new Map([["alias", "own"]]) });
    const { priced: named, own } = priced("first", [other], "alias");
    expect(named.byChannel?.get(own)?.pricedAs).toBe("own");
  });

  test("of calls without such keys are the same objects", () => {
    const { prices, call } = priced("first", [site]);
    const tiers = [{ priority: 0, channels: [site] }];
    const plain = { ...call, candidates: { model: "cheap", tiers } };
    expect(priceCall(prices, plain).byChannel).toBeNull();
    expect(priceCall(prices, { ...plain, caller: { ...call.caller, ownKeys: undefined } })).toBe(
      priceCall(prices, plain),
    );
  });

  test("of images are a share, too", () => {
    const { prices, call } = priced("only", [], "picture");
    const images = {
      ...call,
      endpoint: { capability: "images", priceOf: (price: Price) => price } as unknown as Endpoint,
      body: { form: null },
      prompt: {},
    } as unknown as Call;
    expect(ratios(possiblePrices(priceCall(prices, images)))).toEqual([
      ["0.05", true],
      ["0.05", true],
    ]);
  });
});
