import { expect, test } from "bun:test";
import { defaultModel } from "./default-model.ts";

test.each([
  [["claude-haiku-4-5", "gpt-4o-mini"], "gpt-4o-mini"],
  [["bge-m3", "dall-e-3", "deepseek-chat", "qwen-max"], "deepseek-chat"],
  [["text-embedding-3-small"], "text-embedding-3-small"],
  [[], undefined],
])("of %p the first to try is %p", (offered, expected) => expect(defaultModel(offered)).toBe(expected));
