import { expect, test } from "bun:test";
import { decimal } from "../../../lib/values/decimal.ts";
import { DEFAULT_VIDEO_PRICE } from "../ratios/default-ratios.ts";
import { variantsInForce } from "./active-variants.ts";
import { readConditions } from "./price-variants.ts";

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
