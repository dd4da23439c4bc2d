import { expect, test } from "bun:test";
import { responseTone } from "./response-tone.ts";

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
