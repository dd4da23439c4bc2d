import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import en from "./en.ts";
import zh from "./zh.ts";

const UI = join(import.meta.dir, "..");

function keysOf(words: object, prefix = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "object" ? keysOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

const textOf = (words: object, key: string): unknown =>
  key.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], words);

/** Chinese has one form where English has two. */
const withoutSingular = (keys: readonly string[]): string[] => keys.filter((key) => !key.endsWith("_one"));

describe("the console's words", () => {
  const keys = keysOf(en);

  test("both languages have the same keys", () =>
    expect(withoutSingular(keysOf(zh)).sort()).toEqual(withoutSingular(keys).sort()));

  test("what has a singular has a plural", () => {
    for (const key of keys) if (key.endsWith("_one")) expect(keys).toContain(key.replace(/_one$/, "_other"));
  });

  test("no text is empty", () => {
    for (const words of [en, zh])
      for (const key of keysOf(words)) expect(`${key}: ${textOf(words, key)}`).not.toEndWith(": ");
  });

  test("both languages fill in the same values", () => {
    const values = (text: unknown) => [...String(text).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
    for (const key of withoutSingular(keys)) {
      expect([key, ...values(textOf(zh, key))]).toEqual([key, ...values(textOf(en, key))]);
    }
  });

  test("every key that the code names exists", async () => {
    const missing: string[] = [];
    for await (const file of new Glob("**/*.{ts,tsx}").scan({ cwd: UI })) {
      if (file.startsWith("dist/") || file.includes(".test.")) continue;
      const text = await Bun.file(join(UI, file)).text();
      for (const [, key = ""] of text.matchAll(/\b(?:t|translate)\(\s*"([\w.]+)"/g)) {
        const plural = keys.includes(`${key}_one`) || keys.includes(`${key}_other`);
        if (!plural && typeof textOf(en, key) !== "string") missing.push(`${file}: ${key}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
