import { expect, test } from "bun:test";
import { readInline } from "./InlineNumber.tsx";

test("priority is a whole number from -999, weight from 0 with negatives clamped", () => {
  expect(readInline(" 12 ", "priority")).toBe(12);
  expect(readInline("-999", "priority")).toBe(-999);
  expect(readInline("-1000", "priority")).toBeNull();
  expect(readInline("−5", "priority")).toBe(-5);
  expect(readInline("-5", "weight")).toBe(0);
  expect(readInline("-5", "weight", true)).toBeNull();
  expect(readInline("0", "weight", true)).toBe(0);
  expect(readInline("1.5", "weight")).toBeNull();
  expect(readInline("", "weight")).toBeNull();
});
