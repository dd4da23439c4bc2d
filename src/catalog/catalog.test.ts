import { describe, expect, test } from "bun:test";
import { FieldError } from "../lib/field-readers.ts";
import { createCatalog, matchesGlob, nameForms, shippedCatalog, shippedDocument, UNKNOWN_MODEL } from "./catalog.ts";
import { ENTRY_FIELDS, readDocument, readEntries, readEntry } from "./entry.ts";

const catalogOf = (...sets: object[]) => createCatalog(sets.map((set) => readEntries(set, "models")));

describe("lookups", () => {
  test("an exact entry wins over patterns, the longer pattern over the shorter, and what it does not say is inherited", () => {
    const catalog = catalogOf({
      "acme-*": { provider: "Acme", tools: true, output_limit: 1 },
      "acme-pro*": { output_limit: 2, context_window: 10 },
      "acme-pro-1": { output_limit: 3 },
    });
    expect(catalog.find("acme-mini")).toEqual({ ...UNKNOWN_MODEL, provider: "Acme", tools: true, output_limit: 1 });
    expect(catalog.find("acme-pro-2")).toMatchObject({ provider: "Acme", output_limit: 2, context_window: 10 });
    expect(catalog.find("acme-pro-1")).toMatchObject({ provider: "Acme", output_limit: 3, context_window: 10 });
    expect(catalog.find("other")).toEqual(UNKNOWN_MODEL);
  });

  test("a later set wins, even by a pattern over an exact entry, and null takes a fact away", () => {
    const catalog = catalogOf({ "acme-1": { output_limit: 5, tools: true } }, { "acme-*": { output_limit: null } });
    expect(catalog.find("acme-1")).toMatchObject({ output_limit: null, tools: true });
  });

  test("aliases and the names that hosts make lead to the same entry", () => {
    const catalog = catalogOf({ "acme-1": { aliases: ["acme-latest"], output_limit: 7 } });
    const names = [
      "acme-1",
      "acme-latest",
      "acme/acme-1",
      "ACME-1",
      "acme-1-2025-08-07",
      "acme-1:free",
      "ft:acme-1:org::x",
    ];
    for (const name of names) expect([name, catalog.find(name).output_limit]).toEqual([name, 7]);
  });

  test("what is remembered has a bound, and stays right beyond it", () => {
    const catalog = catalogOf({ "acme-*": { output_limit: 7 } });
    for (let index = 0; index < 10_000; index += 1) catalog.find(`name-${index}`);
    expect(catalog.find("acme-1").output_limit).toBe(7);
    expect(catalog.find("acme-1")).toBe(catalog.find("acme-1"));
  });

  test("names are stripped of what hosts add", () => {
    expect(nameForms("us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toContain("claude-sonnet-4-5");
    expect(nameForms("claude-3-haiku@20240307")).toEqual([
      "claude-3-haiku@20240307",
      "claude-3-haiku-20240307",
      "claude-3-haiku",
    ]);
    expect(nameForms("anthropic/claude-opus-4.8")).toContain("claude-opus-4-8");
    expect(nameForms("gpt-4.1")).toEqual(["gpt-4.1"]);
  });

  test.each([
    ["a*", "a", true],
    ["a*c", "abc", true],
    ["a*c", "ab", false],
    ["*b*", "abc", true],
    ["a*a", "a", false],
    ["a*b*c", "axbxc", true],
    ["a*b*c", "acb", false],
    ["abc", "abc", true],
    ["abc", "abcd", false],
  ])("%s matches %s: %p", (pattern, name, matches) => {
    expect(matchesGlob(pattern.split("*"), name)).toBe(matches);
  });

  test("many stars take no long time", () => {
    const parts = `${"a*".repeat(2000)}b`.split("*");
    expect(matchesGlob(parts, "a".repeat(200_000))).toBe(false);
  });
});

describe("the catalogue that comes with the release", () => {
  test("every fact names a source that the catalogue has, or a page", () => {
    const { sources, models } = shippedDocument;
    const isSource = (source: string) => Object.hasOwn(sources, source) || URL.canParse(source);
    for (const [name, { source, deprecation_source, price, ...facts }] of models) {
      const hasFacts = Object.keys(facts).some((field) => field !== "deprecation_date");
      if (hasFacts && name.includes("*")) expect([name, source]).toEqual([name, expect.any(String)]);
      for (const used of [source, deprecation_source, price?.source])
        if (used) expect([name, isSource(used)]).toEqual([name, true]);
      if (facts.deprecation_date) expect([name, deprecation_source]).toEqual([name, expect.any(String)]);
    }
    for (const { pages = [], read_on } of Object.values(sources)) {
      expect(pages.length).toBeGreaterThan(0);
      expect(read_on).toMatch(/^20\d\d-\d\d/);
      for (const page of pages) expect(new URL(page).protocol).toBe("https:");
    }
  });

  test.each([
    ["claude-opus-4-8", "adaptive", 128_000],
    ["us.anthropic.claude-opus-4-8", "adaptive", 128_000],
    ["anthropic/claude-opus-4.8", "adaptive", 128_000],
    ["claude-sonnet-4-5-20250929", "budget", 64_000],
    ["claude-sonnet-4-6", "adaptive_or_budget", 64_000],
    ["claude-3-5-sonnet-20241022", "none", 8192],
    ["claude-opus-4-1-20250805-thinking", "budget", 32_000],
    ["claude-next", "adaptive", null],
    ["gemini-3.7-flash", "effort", 65_536],
    ["gemini-2.5-flash-image", "none", 32_768],
    ["gemini-3.1-flash-image-preview", "none", 65_536],
    ["gemini-1.5-pro", "none", null],
    ["gemini-next", "budget", null],
    ["gpt-5-2025-08-07", "effort", 128_000],
    ["gpt-4o", "none", 16_384],
    ["grok-4", "fixed", null],
  ])("%s reasons by %s and answers with at most %p tokens", (model, style, limit) => {
    const { reasoning, output_limit } = shippedCatalog.find(model);
    expect<unknown>([reasoning?.style, output_limit]).toEqual([style, limit]);
  });
});

describe("documents are checked", () => {
  const wrong: [unknown, string][] = [
    [{ output_limit: -1 }, "output_limit"],
    [{ output_limit: 1.5 }, "output_limit"],
    [{ context_window: "1000" }, "context_window"],
    [{ tools: "yes" }, "tools"],
    [{ outputLimit: 1 }, "outputLimit"],
    [{ constructor: 1 }, "constructor"],
    [{ reasoning: {} }, "reasoning.style"],
    [{ reasoning: { style: "hard" } }, "reasoning.style"],
    [{ reasoning: { style: "budget", min_budget: 9, max_budget: 8 } }, "reasoning.min_budget"],
    [{ input_modalities: ["smell"] }, "input_modalities.0"],
    [{ deprecation_date: "next year" }, "deprecation_date"],
    [{ price: {} }, "price"],
    [{ price: { output: 1 } }, "price"],
    [{ price: { input: 1, output: Number.NaN } }, "price.output"],
    [{ price: { per_call: 1, cache_read: 1 } }, "price.input"],
    [
      {
        price: {
          input: 1,
          tiers: [
            { over: 9, input: 1, output: 1 },
            { over: 8, input: 1, output: 1 },
          ],
        },
      },
      "price.tiers.1",
    ],
    [[], "entry"],
    [null, "entry"],
  ];
  test.each(wrong)("%j is refused at %s", (entry, field) => {
    const refused = (() => {
      try {
        return readEntry(entry, "");
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(FieldError);
    if (refused instanceof FieldError) expect(refused.field).toBe(field);
  });

  test.each([
    [{ models: {} }],
    [{ format: 2, models: {} }],
    [{ format: 1 }],
    [{ format: 1, models: { "": {} } }],
    [{ format: 1, models: { "*": {} } }],
    [7],
  ])("%j is no document", (document) => expect(() => readDocument(document)).toThrow(FieldError));

  test("every field of an entry is known", () => {
    expect(ENTRY_FIELDS).toEqual([...Object.keys(UNKNOWN_MODEL), "price"]);
  });
});
