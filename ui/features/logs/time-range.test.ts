import { expect, test } from "bun:test";
import { CALENDAR, calendarRange, rangeOf } from "./time-range.ts";

test("a named range ends an hour ahead of the clock", () => {
  expect(rangeOf({ range: "1h" }, 10_000)).toEqual({ name: "1h", start: 6400, end: 13_600, open: true });
});

test("an unknown name falls back to a day", () => {
  expect(rangeOf({ range: "toString" }, 100_000)).toMatchObject({ name: "24h", start: 13_600 });
});

test("two moments are taken as they are, turned round when needed", () => {
  expect(rangeOf({ from: 5, to: 9 }, 100)).toEqual({ name: null, start: 5, end: 9, open: false });
  expect(rangeOf({ from: 50, to: 9 }, 100)).toMatchObject({ start: 9, end: 9 });
});

test("days and months of the calendar end with their last second, also across years", () => {
  const now = new Date(2027, 0, 15, 10, 30);
  const text = (seconds: number) => {
    const date = new Date(seconds * 1000);
    return [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getSeconds()].join(" ");
  };
  const ranges = CALENDAR.map((name) => calendarRange(name, now)).map(({ start, end }) => [text(start), text(end)]);
  expect(ranges).toEqual([
    ["2027 1 15 0 0", "2027 1 15 23 59"],
    ["2027 1 14 0 0", "2027 1 14 23 59"],
    ["2027 1 1 0 0", "2027 1 31 23 59"],
    ["2026 12 1 0 0", "2026 12 31 23 59"],
  ]);
});
