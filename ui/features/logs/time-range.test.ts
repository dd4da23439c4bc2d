import { expect, test } from "bun:test";
import { rangeOf } from "./time-range.ts";

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
