import { describe, expect, test } from "bun:test";
import { factText, modelsOf, rowKey, selectionOf } from "./update-rows.ts";

const plan = {
  changes: [
    {
      ...{ model: "b-1", kind: "added" as const, source: "https://models.dev/" },
      fields: [{ field: "context_window", before: null, after: 9000 }],
    },
  ],
  prices: [
    {
      ...{ model: "b-1", applies: true, source: "https://models.dev/" },
      before: { input: 1, output: 2, source: "https://old.example/" },
      after: { input: 1, output: 3, cache_read: 0.1, source: "https://models.dev/" },
    },
    { model: "a-1", applies: false, source: null, before: { input: 9 }, after: { input: 1, output: 2 } },
  ],
};

describe("the differences of an update", () => {
  test("stand together by model, each amount of a price by itself", () => {
    expect(modelsOf(plan).map(({ model, kind, rows }) => [model, kind, rows.map(({ field }) => field)])).toEqual([
      ["a-1", "changed", ["price"]],
      ["b-1", "added", ["context_window", "price"]],
    ]);
    expect(modelsOf(plan)[1]?.rows[1]?.members).toEqual([
      { name: "price.output", before: 2, after: 3 },
      { name: "price.cache_read", before: null, after: 0.1 },
    ]);
  });

  test("are applied without those that were taken out, and never over an own price", () => {
    const models = modelsOf(plan);
    expect(selectionOf(models, new Set())).toEqual([{ model: "b-1", fields: ["context_window", "price"] }]);
    expect(selectionOf(models, new Set([rowKey("b-1", "price")]))).toEqual([
      { model: "b-1", fields: ["context_window"] },
    ]);
    const all = new Set([rowKey("b-1", "price"), rowKey("b-1", "context_window")]);
    expect(selectionOf(models, all)).toEqual([]);
  });

  test.each([
    [null, null],
    [1_048_576, "1,048,576"],
    [0.0125, "0.0125"],
    [true, "true"],
    [["text", "image"], "text, image"],
    [{ style: "switch" }, '{"style":"switch"}'],
  ])("%p is shown as %p", (value, text) => expect<unknown>(factText(value)).toBe(text));
});
