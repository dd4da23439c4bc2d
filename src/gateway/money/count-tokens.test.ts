import { expect, test } from "bun:test";
import { countText } from "./count-tokens.ts";

test("counts like the model's own tokenizer", async () => {
  expect(await countText("gpt-4o", "Hello there, how are you?")).toBe(7);
  expect(await countText("gpt-3.5-turbo", "你好世界")).toBe(5);
  expect(await countText("gpt-4o", "")).toBe(0);
});

// Counted as single words, these would block the process for minutes.
test.each([
  ["Chinese without punctuation", "你好世界".repeat(75_000), 150_000],
  ["one letter without end", "x".repeat(300_000), 37_500],
  ["a line of dashes", "-".repeat(300_000), 4_690],
  ["blanks", " ".repeat(300_000), 2_344],
])("endless words are counted quickly: %s", async (_, text, tokens) => {
  const counted = await countText("gpt-4o", text);
  expect(Math.abs(counted - tokens)).toBeLessThan(tokens * 0.05);
});
