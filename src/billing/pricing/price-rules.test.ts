import { describe, expect, test } from "bun:test";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { NO_USAGE } from "../../formats/conversation/reply.ts";
import { decimal, toText } from "../../lib/values/decimal.ts";
import { priceVariantsShape } from "../../settings/option/price-shapes.ts";
import { charge } from "./charge.ts";
import {
  type PriceUnit,
  priceUnitOf,
  type RequestedVariant,
  readConditions,
  toolPriceOf,
  variantOf,
  variantsInForce,
} from "./price-rules.ts";
import { createPriceTable } from "./price-table.ts";
import { DEFAULT_MODEL_PRICE, DEFAULT_VIDEO_PRICE, ESTIMATED_MODEL_PRICE } from "./ratios/default-ratios.ts";
import { resolvePrice } from "./resolve-price.ts";

const table = createPriceTable(fixedSettings())();

/** USD of a video as it is ordered, by the prices that are shipped. */
function usdOf(model: string, seconds: number, requests: RequestedVariant): number {
  const query = { requestedModel: model, upstreamModel: model, group: "default", acceptUnset: false };
  const price = resolvePrice(table, query);
  if (price?.kind !== "per_call") throw new Error(`${model} has no fixed price`);
  const variant = variantOf(price.variants, requests);
  const own = { ...price, seconds, ...(variant && { usdPerCall: variant.usd, variant: variant.text }) };
  return charge(own, { ...NO_USAGE, promptTokens: 1 }, decimal(500_000)).quota / 500_000;
}

describe("shipped prices of videos", () => {
  test.each<[string, number, RequestedVariant, number]>([
    ["sora-2", 4, { size: "1280x720" }, 0.4],
    ["sora-2-pro", 8, { size: "720x1280" }, 2.4],
    ["sora-2-pro", 12, { size: "1024x1792" }, 6],
    ["kling-v1", 5, {}, 0.14],
    ["kling-v1", 10, { mode: "std" }, 0.28],
    ["kling-v1", 5, { mode: "pro" }, 0.49],
    ["kling-v1-6", 10, { mode: "pro" }, 0.98],
    ["kling-v2-1-master", 5, { mode: "pro" }, 1.4],
    ["kling-v2-5-turbo", 5, { mode: "pro" }, 0.35],
    ["kling-v2-6", 5, { mode: "pro", sound: "off" }, 0.35],
    ["kling-v2-6", 10, { sound: "on" }, 1.4],
    ["viduq1", 5, {}, 0.4],
    ["viduq2-pro", 5, { resolution: "1080p" }, 1],
    ["vidu2.0", 4, { seconds: "4", resolution: "360p" }, 0.1],
    ["vidu2.0", 4, { seconds: "4", resolution: "720p" }, 0.2],
    ["vidu2.0", 8, { seconds: "8", resolution: "720p" }, 0.5],
    ["vidu2.0", 8, { seconds: "8" }, 0.5],
    ["vidu1.5", 4, { seconds: "4", resolution: "1080p" }, 1],
  ])("%s, %p s, %p: $%p", (model, seconds, requests, usd) => expect(usdOf(model, seconds, requests)).toBe(usd));

  test("every variant is of a model with a base price, and can be read", () => {
    for (const [model, variants] of Object.entries(DEFAULT_VIDEO_PRICE)) {
      expect(DEFAULT_MODEL_PRICE[model]).toBeGreaterThan(0);
      expect(priceVariantsShape.read(variants)).toHaveLength(Object.keys(variants).length);
    }
  });

  test("what no price list says is known to be assumed", () => {
    const assumed = Object.keys(ESTIMATED_MODEL_PRICE);
    expect(assumed).toContain("mj_video");
    expect(assumed).toContain("viduq2");
    for (const model of ["sora-2", "kling-v2-6", "viduq1", "dall-e-3"]) expect(assumed).not.toContain(model);
    for (const model of assumed) expect(DEFAULT_MODEL_PRICE[model]).toBe(ESTIMATED_MODEL_PRICE[model]);
  });
});

describe("variants", () => {
  test("all conditions must hold, and the most of them count", () => {
    const variants = priceVariantsShape.read({ "a=1": 1, "a=1,b=2|3": 2, "b=3": 3 });
    const of = (requests: RequestedVariant) => {
      const found = variantOf(variants, requests);
      return found && Number(toText(found.usd));
    };
    expect([of({ a: "1" }), of({ a: "1", b: "3" }), of({ b: "3" }), of({ b: "2" }), of({ a: "x", b: "3" })]).toEqual([
      1,
      2,
      3,
      undefined,
      3,
    ]);
    expect(of({ constructor: "1" })).toBeUndefined();
  });

  test("values are read without regard to case and blanks", () => {
    expect(readConditions(" mode = PRO , size=1x1 | 2x2")).toEqual([
      ["mode", ["pro"]],
      ["size", ["1x1", "2x2"]],
    ]);
  });

  test.each(["", "mode", "mode=", "=pro", "mode=pro=std", "mode=pro,", "mode=a|", "mode=a,mode=b"])(
    "“%s” is none",
    (text) => expect(readConditions(text)).toBeUndefined(),
  );

  test.each([[[]], ["x"], [null], [{ "mode=pro": -1 }], [{ "mode=pro": "1" }], [{ mode: 1 }]])(
    "%p is no map of variants",
    (value) => expect(priceVariantsShape.read(value)).toBeUndefined(),
  );
});

const variant = (text: string, usd: number) => ({
  text,
  conditions: readConditions(text) ?? [],
  usd: decimal(usd),
});
const shipped = new Map([["kling-v1", [variant("mode=pro", 0.098)]]]);
const own = new Map([["kling-v1", [variant("mode=pro", 0.3)]]]);
const price = (usd: string) => new Map([["kling-v1", decimal(usd)]]);

test.each([
  ["the shipped price has the shipped variants", price("0.0280"), shipped, 1],
  ["a price of one's own has no shipped variant, which could be cheaper", price("0.2"), shipped, 0],
  ["custom variants count with a custom price", price("0.2"), own, 1],
  ["custom variants count with the shipped price", price("0.028"), own, 1],
])("%s", (_, modelPrice, variants, count) => {
  expect(variantsInForce(modelPrice, variants).size).toBe(count);
});

test("shipped variants of which one was changed are one's own", () => {
  const [model, texts] = Object.entries(DEFAULT_VIDEO_PRICE).find(([, found]) => Object.keys(found).length > 1) ?? [
    "",
    {},
  ];
  const [first, ...others] = Object.entries(texts).map(([text, usd]) => variant(text, usd));
  if (!first) throw new Error("no model has two variants");
  const changed = new Map([[model, [{ ...first, usd: decimal(99) }, ...others]]]);
  expect(variantsInForce(new Map([[model, decimal(77)]]), changed).size).toBe(1);
  expect(variantsInForce(new Map([[model, decimal(77)]]), new Map([[model, [first, ...others]]])).size).toBe(0);
});

const prices = new Map([
  ["web_search", decimal(0.01)],
  ["web_search:g", decimal(0.02)],
  ["web_search:gpt-4o", decimal(0.025)],
  ["file_search:gpt", decimal(0.0025)],
]);

test.each([
  ["web_search", "gpt-4o", "0.025"],
  ["web_search", "gpt-4o-mini", "0.025"],
  ["web_search", "gpt-4", "0.02"],
  ["web_search", "claude", "0.01"],
  ["web_search", "", "0.01"],
  ["file_search", "gpt", "0.0025"],
  ["file_search", "claude", undefined],
])("%s with %s costs %p", (tool, model, usd) => {
  const found = toolPriceOf(prices, tool, model);
  expect(found && toText(found)).toBe(usd);
});

type Billed = Parameters<typeof priceUnitOf>[0];
const billed = (billed_by: Billed["billed_by"], ...output_modalities: NonNullable<Billed["output_modalities"]>) => {
  const info: Pick<Billed, "billed_by" | "output_modalities"> = { billed_by, output_modalities };
  return info as Billed;
};

test.each<[string, Billed, "per_token" | "per_call", boolean, PriceUnit]>([
  ["text by tokens", billed(null, "text"), "per_token", false, "token"],
  ["speech by characters", billed("character", "audio"), "per_token", false, "character"],
  ["transcripts by minutes", billed("minute", "text"), "per_token", false, "minute"],
  ["a video model by tokens", billed("video", "video"), "per_token", false, "token"],
  ["a film by tokens", billed("second", "video"), "per_token", true, "token"],
  ["text by calls", billed(null, "text"), "per_call", false, "call"],
  ["videos", billed("video", "video"), "per_call", true, "video"],
  ["seconds", billed("second", "video"), "per_call", false, "second"],
  ["a model of a channel that only films", billed(null), "per_call", true, "second"],
  ["images", billed("image"), "per_call", false, "image"],
  ["what draws", billed(null, "text", "image"), "per_call", false, "image"],
])("%s: the price is for a %s", (_, info, kind, onlyFilms, unit) => {
  expect(priceUnitOf(info, { kind }, onlyFilms)).toBe(unit);
});

test("where a variant lacks one condition of several, none that has it counts", () => {
  const variants = priceVariantsShape.read({ "a=1,b=1": 9 });
  expect([variantOf(variants, { a: "1" }), variantOf(undefined, { a: "1" })]).toEqual([undefined, undefined]);
});
