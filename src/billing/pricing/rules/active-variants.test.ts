import { expect, test } from "bun:test";
import { decimal } from "../../../lib/values/decimal.ts";
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
  ["variants of one's own count beside a price of one's own", price("0.2"), own, 1],
  ["variants of one's own count beside the shipped price", price("0.028"), own, 1],
])("%s", (_, modelPrice, variants, count) => {
  expect(variantsInForce(modelPrice, variants).size).toBe(count);
});
