import { expect, test } from "bun:test";
import type { ProviderKeyView } from "./provider-key-calls.ts";
import { checkKeyForm, followProvider, formOf, keyOfForm } from "./provider-key-form.ts";

const PROVIDERS = [
  { provider: "openai", name: "OpenAI", key_hint: "sk-…", models: ["gpt-4o", "o3"] },
  { provider: "anthropic", name: "Anthropic", key_hint: "sk-ant-…", models: ["claude-opus-4"] },
];
const stored: ProviderKeyView = {
  ...{ id: 1, name: "mine", provider: "openai", provider_name: "OpenAI", models: ["gpt-*"], mode: "only" },
  ...{ enabled: false, created_at: 1, last_error: "", failed_at: null },
};

test("a new key is for the first provider and its models", () => {
  expect(formOf(null, PROVIDERS)).toMatchObject({ provider: "openai", models: ["gpt-4o", "o3"], mode: "first" });
  expect(formOf(null, [])).toMatchObject({ provider: "", models: [] });
});

test("a stored key comes back as it was, without its secret", () => {
  expect(keyOfForm(formOf(stored, PROVIDERS))).toEqual({
    ...{ name: "mine", provider: "openai", key: "", models: ["gpt-*"], mode: "only", enabled: false },
  });
});

test("the secret is needed for a new key and for another provider", () => {
  const form = { ...formOf(stored, PROVIDERS) };
  expect(checkKeyForm(form, stored)).toEqual({ name: undefined, key: undefined, models: undefined });
  expect(checkKeyForm(form, null).key).toBe("keyNeeded");
  expect(checkKeyForm({ ...form, provider: "anthropic" }, stored).key).toBe("keyNeeded");
  expect(checkKeyForm({ ...form, key: "two, keys and blanks" }, stored).key).toBe("key");
  expect(checkKeyForm({ ...form, key: " sk-a-new-one " }, stored).key).toBeUndefined();
  expect(checkKeyForm({ ...form, name: " ", models: [] }, stored)).toMatchObject({ name: "name", models: "models" });
});

test("another provider brings its models, unless somebody chose others", () => {
  const offered = formOf(null, PROVIDERS);
  expect(followProvider({ provider: "anthropic" }, offered, PROVIDERS)).toEqual({ models: ["claude-opus-4"] });
  expect(followProvider({ provider: "anthropic" }, { ...offered, models: ["gpt-*"] }, PROVIDERS)).toEqual({});
  expect(followProvider({ name: "x" }, offered, PROVIDERS)).toEqual({});
});
