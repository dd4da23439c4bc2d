/** Which service tiers a call is held, refused, charged and logged for. */
import { describe, expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { JsonObject } from "../../formats/json.ts";
import { integer } from "../../lib/values/decimal.ts";
import type { Call } from "../call/call.ts";
import type { GatewayError } from "../call/errors.ts";
import { OutputMeter } from "./output-meter.ts";
import { createPrices, estimateInTiers, refuseUnpricedTier } from "./price.ts";
import { type Ending, servedTiers } from "./price-usage.ts";

const factor = (value: number) => ({ input: value, output: value });
const MODELS = ["m", "plain"];
const SETTINGS = fixedSettings({
  ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))),
  ServiceTiers: JSON.stringify({
    m: { priority: factor(3), flex: factor(0.5), turbo: factor(5), fast: factor(6), "geo:us": factor(7) },
  }),
  ServiceTierMultipliers: '{"priority":4,"warp":10}',
});
const prices = createPrices(SETTINGS);
const priceOf = (model: string) => prices.of({ group: "default", user: { acceptUnsetPrice: false } }, model, model);

type Override = JsonObject | null;
const callOf = (json: JsonObject, overrides: readonly Override[] = [], dropped: readonly string[] = []) =>
  ({
    body: { json },
    summary: { model: "m" },
    candidates: {
      model: "m",
      tiers: overrides.map((paramOverride, at) => ({ priority: -at, channels: [channelEntry({ paramOverride })] })),
    },
    servedBy: { dropped },
  }) as unknown as Call;

/** What is held for a prompt of 100 tokens. */
function heldFor(json: JsonObject, overrides: readonly Override[] = [], model = "m"): number {
  const expected = {
    promptTokens: 100,
    maxOutputTokens: 0,
    defaultOutputTokens: 0,
    audioInputTokens: 0,
    writesCache: "none",
  } as const;
  return estimateInTiers(callOf(json, overrides), priceOf(model), expected, integer(500_000));
}

describe("the most that a call can cost", () => {
  test.each<[JsonObject, number]>([
    [{}, 100],
    [{ service_tier: null }, 100],
    [{ service_tier: "default" }, 100],
    [{ service_tier: "priority" }, 300],
    [{ service_tier: "Priority" }, 300],
    [{ serviceTier: "SERVICE_TIER_PRIORITY" }, 300],
    [{ service_tier: "priority", serviceTier: "turbo" }, 300],
    [{ service_tier: "flex" }, 100],
    [{ service_tier: "warp" }, 1000],
    [{ speed: "fast" }, 600],
    [{ inference_geo: "us" }, 700],
    [{ speed: "fast", inference_geo: "us" }, 4200],
    [{ service_tier: "turbo", speed: "fast", inference_geo: "us" }, 21_000],
    [{ speed: 7 }, 100],
    // The provider chooses: any of the model's tiers, but neither a speed nor a region that nobody named.
    [{ service_tier: "auto" }, 500],
    [{ service_tier: "auto", inference_geo: "us" }, 3500],
  ])("with %j is %d units", (json, units) => expect(heldFor(json)).toBe(units));

  test("of a model without prices of tiers covers the usual ones, if the provider chooses", () => {
    const held = [{}, { service_tier: "priority" }, { service_tier: "auto" }].map((json) => heldFor(json, [], "plain"));
    expect(held).toEqual([100, 400, 400]);
  });

  test.each<[JsonObject, readonly Override[], number]>([
    [{}, [null, { temperature: 1 }], 100],
    [{}, [null, { service_tier: "priority" }], 300],
    [{}, [{ service_tier: "priority" }, { speed: "fast" }, null], 600],
    [{}, [{ serviceTier: "turbo" }], 500],
    [{}, [{ inference_geo: "us" }], 700],
    [{ service_tier: "turbo" }, [{ service_tier: "priority" }], 500],
    [{ service_tier: "priority" }, [{ service_tier: "turbo" }], 500],
  ])("with %j and overrides %j is %d units", (json, overrides, units) => expect(heldFor(json, overrides)).toBe(units));
});

describe("where a site refuses tiers without a price", () => {
  const refuse = (json: JsonObject, model: string) => {
    const call = { ...callOf(json), summary: { model } } as unknown as Call;
    const price = priceOf(model);
    try {
      refuseUnpricedTier(call, { price, byName: null, byChannel: null });
      return null;
    } catch (error) {
      const { status, code, message } = error as GatewayError;
      return [status, code, message];
    }
  };

  test.each<[JsonObject, string, string | null]>([
    [{}, "plain", null],
    [{ service_tier: "auto" }, "plain", null],
    [{ service_tier: "default" }, "plain", null],
    [{ service_tier: "priority" }, "plain", "priority"],
    [{ speed: "fast" }, "plain", "fast"],
    [{ inference_geo: "us" }, "plain", "geo:us"],
    [{ service_tier: "priority" }, "m", null],
    [{ service_tier: "priority", inference_geo: "eu" }, "m", "geo:eu"],
    [{ service_tier: "warp" }, "m", "warp"],
  ])("%j of the model %s: %p", (json, model, tier) => {
    const refused = refuse(json, model);
    expect(refused?.slice(0, 2) ?? null).toEqual(tier === null ? null : [400, "service_tier_not_priced"]);
    if (tier !== null) for (const part of [tier, model]) expect(String(refused?.[2])).toContain(part);
  });

  test("one of a call's prices that lacks it is enough", () => {
    const call = callOf({ service_tier: "turbo" });
    const byName = new Map([
      ["m", priceOf("m")],
      ["plain", priceOf("plain")],
    ]);
    const both = { price: priceOf("m"), byName, byChannel: null };
    expect(() => refuseUnpricedTier(call, both)).toThrow();
    refuseUnpricedTier(call, { ...both, byName: new Map([["m", priceOf("m")]]) });
  });
});

describe("the tiers by which a response is charged", () => {
  const PRIORITY = { service_tier: "priority" };
  /** Of a response that names this tier, after this text. */
  const servedIn = (
    json: JsonObject,
    {
      named,
      text = "Hi",
      finished = false,
      dropped = [],
      ending = "client_left",
    }: Readonly<{
      named?: object;
      text?: string;
      finished?: boolean;
      dropped?: readonly string[];
      ending?: Ending["ending"];
    }>,
  ) => {
    const meter = new OutputMeter();
    if (named) meter.processedAs(named);
    if (text !== "") meter.text(text);
    if (finished) meter.step({ type: "finish", choice: 0, reason: "stop", native: null });
    const call = callOf(json, [], dropped);
    const { names, logged } = servedTiers(call, { ending, meter });
    return [names.join(), logged];
  };

  test.each<[string, JsonObject, Parameters<typeof servedIn>[1], string, string | undefined]>([
    ["that it names", {}, { named: { serviceTier: "turbo" } }, "turbo", "turbo"],
    [
      "that it names, not those requested",
      PRIORITY,
      { named: { serviceTier: "flex", speed: "fast" } },
      "flex,fast",
      "flex, fast",
    ],
    ["where it names the standard one", PRIORITY, { named: { serviceTier: "default" } }, "", "default"],
    [
      "where it names the standard one, and none was requested",
      {},
      { named: { serviceTier: "default" } },
      "",
      undefined,
    ],
    ["where it names a region alone", PRIORITY, { named: { inferenceGeo: "global" } }, "", undefined],
    ["where it is complete and names none", PRIORITY, { ending: "complete" }, "", undefined],
    ["where it broke before it named any", PRIORITY, {}, "priority", "priority"],
    ["where it broke, and none was requested", {}, {}, "", undefined],
    ["where it broke before it said anything", PRIORITY, { text: "" }, "", undefined],
    ["where it broke after its end", PRIORITY, { finished: true }, "", undefined],
    ["where it broke, and the upstream has no word for it", PRIORITY, { dropped: ["service_tier"] }, "", undefined],
    ["where it broke, and something else was dropped", PRIORITY, { dropped: ["user"] }, "priority", "priority"],
  ])("%s", (_, json, response, charged, logged) => {
    expect(servedIn(json, response)).toEqual([charged, logged]);
  });
});
