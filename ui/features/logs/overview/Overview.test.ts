import { expect, test } from "bun:test";
import { compactCount } from "./Overview.tsx";

test.each([
  [0, "0"],
  [9999, "9,999"],
  [163_700, "163.7 k"],
  [9_820_000, "9.82 M"],
  [12_345_678_901, "12.3 B"],
])("%d is shown as %s", (count, text) => {
  expect(compactCount(count)).toBe(text);
});
