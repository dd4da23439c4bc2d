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

/** The console's code, by file. */
async function sources(): Promise<readonly (readonly [file: string, text: string])[]> {
  const files = (await Array.fromAsync(new Glob("**/*.{ts,tsx}").scan({ cwd: UI }))).filter(
    (file) => !file.startsWith("dist/") && !file.includes(".test."),
  );
  return Promise.all(files.map(async (file) => [file, await Bun.file(join(UI, file)).text()] as const));
}

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
    for (const [file, text] of await sources()) {
      for (const [, key = ""] of text.matchAll(/\b(?:t|translate)\(\s*"([\w.]+)"/g)) {
        const plural = keys.includes(`${key}_one`) || keys.includes(`${key}_other`);
        if (!plural && typeof textOf(en, key) !== "string") missing.push(`${file}: ${key}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test("every text is used", async () => {
    const code = (await sources()).map(([, text]) => text).join("\n");
    const patterns = [...code.matchAll(/`([\w.]+\.)\$\{[^}]*\}(?:[\w.]*\$\{[^}]*\})*([\w.]*)`/g)];
    const isPutTogether = (key: string) =>
      patterns.some(([, start = "", end = ""]) => {
        if (!key.startsWith(start) || !key.endsWith(end)) return false;
        // Under a whole feature the end must stand in the code; deeper down it may be the server's word.
        const name = key.slice(start.length, key.length - end.length);
        return start.split(".").length > 2 || new RegExp(`\\b${name}\\b`).test(code);
      });
    const named = keys.map((key) => key.replace(/_(one|other)$/, ""));
    expect(named.filter((key) => !code.includes(`"${key}"`) && !isPutTogether(key))).toEqual([]);
  });
});
