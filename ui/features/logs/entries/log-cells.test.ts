import { expect, test } from "bun:test";
import { elapsedTone, firstTokenTone } from "./log-cells.tsx";

test("a call's time is green under 101 s, orange under 300 s", () => {
  expect([100_999, 101_000, 299_999, 300_000].map(elapsedTone)).toEqual(["ok", "warn", "warn", "bad"]);
});

test("the first token is green under 3 s, orange under 10 s", () => {
  expect([2999, 3000, 9999, 10_000].map(firstTokenTone)).toEqual(["ok", "warn", "warn", "bad"]);
});
