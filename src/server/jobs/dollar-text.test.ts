import { expect, test } from "bun:test";
import { dollarText } from "./dollar-text.ts";

test.each([
  [0, "$0.000000"],
  [1, "$0.000002"],
  [500_000, "$1.000000"],
  [617_283, "$1.234566"],
])("%p units are %p", (quota, text) => expect(dollarText(quota, 500_000)).toBe(text));
