import { expect, test } from "bun:test";
import { dayIn, shiftDay } from "./check-ins.ts";

const LATE = Date.parse("2026-03-01T20:30:00Z");

test.each([
  ["UTC", "2026-03-01"],
  ["Asia/Shanghai", "2026-03-02"],
  ["America/New_York", "2026-03-01"],
])("in %s it is %s", (zone, day) => expect(dayIn(zone, LATE)).toBe(day));

test("days are counted over the ends of months and years", () => {
  expect(shiftDay("2026-03-01", -1)).toBe("2026-02-28");
  expect(shiftDay("2025-12-31", 1)).toBe("2026-01-01");
});
