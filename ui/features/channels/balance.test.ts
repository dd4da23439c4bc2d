import { expect, test } from "bun:test";
import { balanceText } from "./balance.ts";

test.each([
  [12.5, "", "$12.50"],
  [12.5, "USD", "$12.50"],
  [-3, "CNY", "-CN¥3.00"],
  [7, "credits of it", "7.00 credits of it"],
])("%d %p is %s", (balance, balance_currency, text) => {
  expect(balanceText({ balance, balance_currency }, "en")).toBe(text);
});
