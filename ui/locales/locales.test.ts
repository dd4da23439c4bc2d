import { describe, expect, test } from "bun:test";
import texts from "texts:all";
import { keyOf, listTextFiles } from "../../scripts/build/console/texts-plugin.ts";
import { LANGUAGES } from "../state/i18n.ts";
import * as en from "./en.ts";
import * as zh from "./zh.ts";

function keysOf(words: object, prefix = ""): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "object" ? keysOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

const textOf = (words: object, key: string): unknown =>
  key.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], words);

const isPlural = (key: string): boolean => /_(one|other)$/.test(key);
const stemOf = (key: string): string => key.replace(/_(one|few|many|other)$/, "");

/** The keys that a language must have where English has these: a text that counts has a form for each of its plurals. */
function keysIn(language: string, keys: readonly string[]): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  return [
    ...new Set(
      keys.flatMap((key) => (isPlural(key) ? pluralCategories.map((form) => `${stemOf(key)}_${form}`) : [key])),
    ),
  ].sort();
}

/** The English text that a key of any language translates. */
const englishOf = (key: string): unknown => textOf(en, key) ?? textOf(en, `${stemOf(key)}_other`);

describe("the console's words", () => {
  const keys = keysOf(en);

  test("are those of every file", () => {
    const names = listTextFiles().map(keyOf).sort();
    expect(Object.keys(en).sort()).toEqual(names);
    expect(Object.keys(zh).sort()).toEqual(names);
  });

  test("what has a singular has a plural", () => {
    for (const key of keys) if (key.endsWith("_one")) expect(keys).toContain(key.replace(/_one$/, "_other"));
  });

  describe.each(LANGUAGES.map(({ tag, isMachineMade }) => [tag, isMachineMade] as const))(
    "in %s",
    async (tag, isMachineMade) => {
      const parts = await Promise.all(Object.values(texts[tag]).map((load) => load()));
      const words: object = Object.assign({}, ...parts);
      const own = keysOf(words);

      test("have the same keys as in English", () => expect(own.toSorted()).toEqual(keysIn(tag, keys)));

      test.if(isMachineMade === true)("translate nothing that English has no more", async () => {
        const { default: stored }: { default: object } = await import(`./translations/${tag}.json`);
        expect(keysOf(stored).filter((key) => !own.includes(key))).toEqual([]);
      });

      test("are not empty", () => {
        for (const key of own) expect(`${key}: ${textOf(words, key)}`).not.toEndWith(": ");
      });

      test("fill in the same values", () => {
        const values = (text: unknown) => [...String(text).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
        for (const key of own.filter((key) => !key.endsWith("_one"))) {
          expect([key, ...values(textOf(words, key))]).toEqual([key, ...values(englishOf(key))]);
        }
      });
    },
  );
});
