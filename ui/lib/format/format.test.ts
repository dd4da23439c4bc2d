import { expect, test } from "bun:test";
import { formatDuration, formatSeconds } from "./duration.ts";
import { formatCurrency, formatDollars } from "./money.ts";
import { formatNumber, formatShare, formatShort, roundTo } from "./number.ts";

test.each([
  [null, "–"],
  [0, "0 ms"],
  [999.4, "999 ms"],
  [999.6, "1.00 s"],
  [1120, "1.12 s"],
  [14_230, "14.2 s"],
  [185_000, "3 min 5 s"],
  [7_500_000, "2 h 5 min"],
])("%p ms are %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [0, "0 s"],
  [59, "59 s"],
  [60, "1 min 0 s"],
  [273_600, "3 d 4 h"],
])("%p seconds are %s", (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

test("numbers and money", () => {
  expect(formatNumber(1_234_567)).toBe("1,234,567");
  expect(formatShort(200_000)).toBe("200K");
  expect(formatShare(0.9993)).toBe("99.93%");
  expect(roundTo(0.1 + 0.2, 6)).toBe(0.3);
  expect(formatDollars(-1234.5, 2)).toBe("−$1,234.50");
  expect(formatDollars(0.0025, 2, 6)).toBe("$0.0025");
  expect(formatDollars(0.000002, 2)).toBe("<$0.01");
  expect(formatDollars(-0.000002, 4)).toBe("−<$0.0001");
  expect(formatDollars(0, 2)).toBe("$0.00");
  expect(formatCurrency(365, "CNY", "en", "narrowSymbol")).toBe("¥365.00");
});
