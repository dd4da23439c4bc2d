import { expect, test } from "bun:test";
import { balanceText, responseTone } from "./status-cells.tsx";

test.each([
  [0, "untested"],
  [1, "ok"],
  [1000, "ok"],
  [1001, "lime"],
  [3000, "lime"],
  [3001, "warn"],
  [5000, "warn"],
  [5001, "bad"],
] as const)("%d ms is %s", (responseMs, tone) => {
  expect(responseTone(responseMs)).toBe(tone);
});

test.each([
  [12.5, "", "$12.50"],
  [12.5, "USD", "$12.50"],
  [-3, "CNY", "−CN¥3.00"],
  [7, "credits of it", "7.00 credits of it"],
])("%d %p is %s", (balance, balance_currency, text) => {
  expect(balanceText({ balance, balance_currency }, "en")).toBe(text);
});
