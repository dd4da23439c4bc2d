import { describe, expect, test } from "bun:test";
import { readAmount, typedOf, unitsOf } from "./amount-text.ts";

const DOLLARS = { inCurrency: true, quotaPerUnit: 500_000 };
const UNITS = { inCurrency: false, quotaPerUnit: 500_000 };

test.each([
  ["20", 20],
  ["20*3", 60],
  ["$1,234.50", 1234.5],
  ["-4", -4],
  ["−4", -4],
  [" ( 5 + 2.5 ) / 2 ", 3.75],
  ["2 − -3", 5],
  ["10/4*2", 5],
  [".5", 0.5],
  ["5.", 5],
])("%p is %p", (text, amount) => expect(readAmount(text)).toBe(amount));

test.each(["", " ", "20*", "*3", "(1", "1)", "1 2", "abc", "1e3", "0x10", "1/0", "5..2", "1+", "--", "NaN"])(
  "%p is no amount",
  (text) => expect(readAmount(text)).toBeNull(),
);

describe("in dollars", () => {
  test("typed 20 is 20 dollars", () => expect(unitsOf("20", DOLLARS)).toBe("10000000"));
  test("arithmetic counts in dollars", () => expect(unitsOf("20*3", DOLLARS)).toBe("30000000"));
  test("units are whole", () => expect(unitsOf("0.0000011", DOLLARS)).toBe("1"));
  test.each(["", "20*", "9".repeat(20)])("%p stays for the form to refuse", (text) =>
    expect(unitsOf(text, DOLLARS)).toBe(text),
  );
  test("what is shown has the decimals it needs", () => {
    expect(["10000000", "750000", "1000", "1", "-250000", ""].map((units) => typedOf(units, DOLLARS))).toEqual([
      ...["20", "1.50", "0.002", "0.000002", "-0.50", ""],
    ]);
  });
  test("whatever units a site has to the dollar, what is shown is what is kept", () => {
    for (const quotaPerUnit of [1, 7, 1000, 500_000, 3_333_333, 100_000_000]) {
      for (const units of [0, 1, 2, 13, 499_999, 12_345_678, -7, 10 ** 15]) {
        const format = { inCurrency: true, quotaPerUnit };
        expect(unitsOf(typedOf(String(units), format), format)).toBe(String(units));
      }
    }
  });
});

test("a site in units takes units", () => {
  expect(unitsOf("20*3", UNITS)).toBe("60");
  expect(typedOf("10000000", UNITS)).toBe("10000000");
});
