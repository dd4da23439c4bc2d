import { expect, test } from "bun:test";
import { lastsDays } from "./pace-rules.ts";

test("days are whole, an empty balance lasts none, and no pace says nothing", () => {
  expect(lastsDays(1_050, 100)).toBe(10);
  expect(lastsDays(99, 100)).toBe(0);
  expect(lastsDays(-500, 100)).toBe(0);
  expect(lastsDays(500, 0)).toBeNull();
  expect(lastsDays(73_000, 100)).toBe(730);
  expect(lastsDays(73_100, 100)).toBeNull();
});
