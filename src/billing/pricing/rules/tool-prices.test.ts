import { expect, test } from "bun:test";
import { decimal, toText } from "../../../lib/values/decimal.ts";
import { toolPriceOf } from "./tool-prices.ts";

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
