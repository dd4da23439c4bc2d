import { expect, test } from "bun:test";
import { withoutKey } from "./keys.ts";

test.each([
  ["sk-proj-0123456789", "Incorrect API key provided: sk-proj-0123456789.", "Incorrect API key provided: ***."],
  // Somebody's own server has a word as its password.
  ["swordfish", "the key swordfish is wrong", "the key *** is wrong"],
  ["secret", "the key secret is wrong", "the key *** is wrong"],
  // Words that stand for no key are no secret, and belong to messages.
  ["none", "tool_choice: none is not supported", "tool_choice: none is not supported"],
  ["Ollama", "Ollama has no such model", "Ollama has no such model"],
  ["-", "gpt-4o-mini is not served", "gpt-4o-mini is not served"],
  ["", "no key was sent", "no key was sent"],
])("of the key %j a message keeps nothing that is secret", (key, message, shown) => {
  expect(withoutKey(message, key)).toBe(shown);
});
