import { expect, test } from "bun:test";
import { offeredModels, testModelOf } from "./pick-models.ts";

test.each([
  [["babbage-002", "dall-e-3", "gpt-4o", "gpt-4o-mini", "gpt-4o-mini-tts"], "gpt-4o-mini"],
  [["claude-opus-4-1", "claude-haiku-4-5"], "claude-haiku-4-5"],
  [["deepseek-reasoner", "deepseek-chat"], "deepseek-chat"],
  [["text-embedding-3-small"], "text-embedding-3-small"],
  [["some-model"], "some-model"],
])("%p is tested with %p", (models, expected) => expect(testModelOf(models)).toBe(expected));

test("without models there is nothing to test", () => expect(testModelOf([])).toBeUndefined());

test("models without a price are left out, unless none has one", () => {
  const without = (names: readonly string[]) => () => names;
  expect(offeredModels(["a", "b", "c"], without(["b"]))).toEqual({ offered: ["a", "c"], leftOut: ["b"] });
  expect(offeredModels(["a", "b"], without(["a", "b"]))).toEqual({ offered: ["a", "b"], leftOut: [] });
  expect(offeredModels(["a"], without([]))).toEqual({ offered: ["a"], leftOut: [] });
});
