/** The channels that a request's `provider` preferences allow, in the order that they state. */
import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { ChannelPreferences } from "../call/endpoint.ts";
import { createPrices } from "../money/price.ts";
import { preferChannels } from "./prefer-channels.ts";

const [OPENAI, OPENROUTER] = [1, 20];
const NONE: ChannelPreferences = {
  ...{
    order: [],
    only: null,
    ignored: new Set(),
    allowsFallbacks: true,
    sort: null,
    maxPrice: {},
    openRouterOnly: null,
  },
  original: { text: "", size: 0, json: {} },
};
/** Dollars for a million tokens: a ratio of 1 is 2 dollars. */
const settings = fixedSettings({
  ModelRatio: '{"cheap":1,"dear":10,"chatty":1}',
  CompletionRatio: '{"cheap":2,"dear":1,"chatty":9}',
  ModelPrice: '{"each":0.5}',
});
const SPEEDS: Readonly<Record<number, object>> = {
  1: { firstTokenMs: 300, tokensPerSecond: 50 },
  2: { firstTokenMs: 100, tokensPerSecond: 20 },
  4: { firstTokenMs: 300, tokensPerSecond: 90 },
};
const context = { prices: createPrices(settings), speeds: { find: (id: number) => SPEEDS[id] ?? null } };

type Known = readonly [name: string, type: number, model: string, priority?: number];
/** Names of channels by tier, with the model that each has upstream. */
const CHANNELS: readonly Known[] = [
  ["one", OPENAI, "cheap", 0],
  ["two", OPENAI, "dear", 0],
  ["three", OPENAI, "unknown", -1],
  ["four", OPENAI, "chatty", -1],
  ["router", OPENROUTER, "each", -2],
];
function preferred(preferences: Partial<ChannelPreferences>, channels = CHANNELS) {
  const entries = channels.map(([name, type, model], at) =>
    channelEntry({ id: at + 1, name, type, models: ["m"], modelMapping: new Map([["m", model]]) }),
  );
  const tiers = [0, -1, -2].map((priority) => ({
    priority,
    channels: entries.filter((_, at) => (channels[at]?.[3] ?? 0) === priority),
  }));
  const call = {
    candidates: { model: "m", tiers },
    caller: { group: "default", user: { group: "default" } },
    summary: { model: "m" },
  };
  const found = preferChannels(context as never, call as never, { ...NONE, ...preferences });
  expect(found.map(({ priority }) => priority)).toEqual(found.map((_, at) => (at === 0 ? -0 : -at)));
  return found.map((tier) => tier.channels.map(({ name }) => name).join("+")).join(" ");
}
const set = (...names: readonly string[]) => new Set(names);

describe("channels of a call", () => {
  test.each<[string, Partial<ChannelPreferences>, string]>([
    ["all, as the operator has them", {}, "one+two three+four router"],
    ["without those that are ignored", { ignored: set("one", "four") }, "two three router"],
    ["without a whole type", { ignored: set("openai") }, "router"],
    ["only those that are named, and OpenRouter, which decides by itself", { only: set("two") }, "two router"],
    ["OpenRouter alone for what only it follows", { openRouterOnly: "data_collection" }, "router"],
    ["the named ones first", { order: ["four", "one"] }, "four one two three router"],
    ["those of a type once, where their own name follows", { order: ["openai", "two"] }, "one+two+three+four router"],
    ["the named ones alone", { order: ["four", "one"], allowsFallbacks: false }, "four one"],
    ["the only named one, once for two names", { order: ["one", "one"], allowsFallbacks: false }, "one"],
    ["OpenRouter, where none of the named ones is there", { order: ["absent"], allowsFallbacks: false }, "router"],
    ["all without fallbacks, where none is named", { allowsFallbacks: false }, "one+two three+four router"],
  ])("are %s", (_, preferences, expected) => expect(preferred(preferences)).toBe(expected));

  test.each<[string, ChannelPreferences["maxPrice"], string]>([
    ["of a prompt", { prompt: 2 }, "one four router"],
    ["of a prompt, just below", { prompt: 1.99 }, "router"],
    ["of a completion", { completion: 4 }, "one router"],
    ["of a completion, just below", { completion: 3.99 }, "router"],
    ["of both", { prompt: 20, completion: 20 }, "one+two four router"],
    ["of a request", { request: 0.5 }, "one+two four router"],
    ["of a request, just below", { request: 0.49 }, "one+two four"],
  ])("cost at most the price %s; those without a price cost too much", (_, maxPrice, expected) => {
    expect(preferred({ maxPrice })).toBe(expected);
  });

  test.each<[NonNullable<ChannelPreferences["sort"]>, string]>([
    // Dollars for a million of each, and for a request.
    ["price", "router one four two three"],
    ["latency", "two one+four three+router"],
    ["throughput", "four one two three+router"],
  ])("are sorted by %s, equal ones together, those without figures last", (sort, expected) => {
    expect(preferred({ sort })).toBe(expected);
  });

  test("are sorted behind those that are named", () => {
    expect(preferred({ sort: "price", order: ["three"] })).toBe("three router one four two");
    expect(preferred({ sort: "price", order: ["three"], allowsFallbacks: false })).toBe("three");
  });
});
