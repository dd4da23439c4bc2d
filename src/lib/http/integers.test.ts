import { expect, test } from "bun:test";
import { readId, readInteger } from "./integers.ts";

test.each([
  ["1", 1],
  ["0", 0],
  ["-7", -7],
  [5, 5],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9007199254740993", null],
  ["1.0", null],
  ["1e0", null],
  ["+1", null],
  ["01", null],
  ["-0", null],
  [" 1", null],
  ["1 ", null],
  ["1\n", null],
  ["0x1", null],
  ["１", null],
  ["", null],
  [1.5, null],
  [null, null],
  [[1], null],
] as const)("%p is read as %p", (value, expected) => expect(readInteger(value)).toBe(expected));

test.each([
  ["1", 1],
  ["2147483647", 2_147_483_647],
  ["2147483648", null],
  ["0", null],
  ["-1", null],
] as const)("the id %p is read as %p", (text, expected) => expect(readId(text)).toBe(expected));
