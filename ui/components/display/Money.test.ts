import { expect, test } from "bun:test";
import { amountText, dollars, exactAmountText } from "./Money.tsx";

test.each([
  [500_000, 2, "$1.00"],
  [-750_000, 2, "−$1.50"],
  [1, 6, "$0.000002"],
  [617_283_945, 2, "$1,234.57"],
])("%d units with %d decimals are %s", (quota, decimals, text) => expect(dollars(quota, 500_000, decimals)).toBe(text));

test("a site may show quota units instead", () =>
  expect(amountText(1_234_567, { inCurrency: false, quotaPerUnit: 500_000 })).toBe("1,234,567"));

test.each([
  [1_500_000, "$3.00"],
  [1000, "$0.002"],
  [1, "$0.000002"],
  [612_345, "$1.22469"],
])("%d units that somebody set are %s", (quota, text) =>
  expect(exactAmountText(quota, { inCurrency: true, quotaPerUnit: 500_000 })).toBe(text),
);
