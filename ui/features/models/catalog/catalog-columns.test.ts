import { expect, test } from "bun:test";
import { tokenCount } from "./catalog-columns.tsx";

test.each([
  [1_000_000, "1M"],
  [1_050_000, "1050K"],
  [1_048_576, "1M"],
  [128_000, "128K"],
  [65_536, "64K"],
  [8192, "8K"],
  [4096, "4K"],
  [16_385, "16,385"],
  [500, "500"],
  [0, "0"],
])("%d tokens are written %s", (tokens, text) => {
  expect(tokenCount(tokens)).toBe(text);
});
