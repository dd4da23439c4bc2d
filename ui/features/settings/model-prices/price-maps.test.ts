import { describe, expect, test } from "bun:test";
import { checkPriceForm, NEW_PRICE, priceFormOf, rowOfForm, typed } from "./price-form.ts";
import {
  modelsWithoutPrice,
  type PriceMaps,
  priceDifferences,
  priceRows,
  readPriceMaps,
  rowOf,
  withDifferences,
  withRow,
} from "./price-maps.ts";
import { batchFault, withBatchPrices } from "./UnsetModels.tsx";

const EMPTY = {
  MegapixelPrice: {},
  CacheCreationRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  ImageRatio: {},
  ImageCompletionRatio: {},
};
const MAPS: PriceMaps = {
  ModelPrice: { mj_imagine: 0.1 },
  ModelRatio: { "gpt-4o": 1.25, "gpt-4-gizmo-*": 15 },
  CompletionRatio: { "gpt-4o": 4 },
  CacheRatio: { "gpt-4o": 0.5 },
  ...EMPTY,
};

describe("price maps", () => {
  test("are rows by name", () =>
    expect(priceRows(MAPS).map(({ name }) => name)).toEqual(["gpt-4-gizmo-*", "gpt-4o", "mj_imagine"]));

  test("the one that cannot be read is named", () =>
    expect(readPriceMaps((key) => (key === "CacheRatio" ? '{"a":' : "{}"))).toEqual({ invalid: "CacheRatio" }));

  test("a row is put in and its empty values are taken out", () => {
    const changed = withRow(MAPS, { ...NEW_PRICE, name: "gpt-4o", ratio: 1.25, price: 0.02 });
    expect(changed).toEqual({
      ModelPrice: { mj_imagine: 0.1, "gpt-4o": 0.02 },
      CompletionRatio: {},
      CacheRatio: {},
    });
    expect(withRow(MAPS, rowOf(MAPS, "gpt-4o"))).toEqual({});
  });

  test.each([
    ["its own price", "gpt-4o", ["else"], []],
    ["a price per call", "mj_imagine", ["mj_imagine"], []],
    ["the price of all custom GPTs", "gpt-4-gizmo-abc", ["gpt-4-gizmo-abc"], []],
    ["that of the name without its prefix", "vip-gpt-4o", ["gpt-4o"], []],
    ["that of what an alias stands for", "alias", ["gpt-4-gizmo-xyz"], []],
    ["that of one of several upstreams", "alias", ["new", "gpt-4o"], []],
    ["none", "vip-new", ["new"], ["vip-new"]],
  ])("of models without a price those that have none are listed: %s", (_, model, upstream, expected) =>
    expect(modelsWithoutPrice([{ model, upstream }], MAPS)).toEqual(expected),
  );

  test("a price by megapixel is edited with the price of a call, and goes with it", () => {
    const maps: PriceMaps = { ...MAPS, ModelPrice: { flux: 0.03 }, MegapixelPrice: { flux: 0.015 } };
    const form = priceFormOf(rowOf(maps, "flux"));
    expect(form).toMatchObject({ billing: "per_call", price: "0.03", megapixelPrice: "0.015" });
    expect(withRow(maps, rowOfForm({ ...form, megapixelPrice: "0.02" }))).toEqual({ MegapixelPrice: { flux: 0.02 } });
    expect(withRow(maps, rowOfForm({ ...form, megapixelPrice: "" }))).toEqual({ MegapixelPrice: {} });
    expect(checkPriceForm({ ...form, megapixelPrice: "-1" }, () => false)).toEqual({ megapixelPrice: "number" });
    const byToken = rowOfForm({ ...form, billing: "per_token", ratio: "1" });
    expect(withRow(maps, byToken)).toMatchObject({ ModelPrice: {}, MegapixelPrice: {} });
  });

  test("a list is compared and taken over in part", () => {
    const list: PriceMaps = { ...MAPS, ModelRatio: { "gpt-4o": 1, o9: 2 } };
    const differences = priceDifferences(MAPS, list);
    expect(differences).toEqual([
      { key: "ModelRatio", model: "gpt-4o", before: 1.25, after: 1 },
      { key: "ModelRatio", model: "o9", before: null, after: 2 },
    ]);
    expect(withDifferences(MAPS, differences.slice(1))).toEqual({ ModelRatio: { ...MAPS.ModelRatio, o9: 2 } });
  });
});

describe("the form of a price", () => {
  const form = priceFormOf({ ...NEW_PRICE, name: "x", ratio: 1.5, completionRatio: 5 });
  const free = () => false;

  test("dollars and ratios follow each other", () => {
    expect(form).toMatchObject({ inputPrice: "3", outputPrice: "15" });
    expect(typed(form, "inputPrice", "2.5")).toMatchObject({ ratio: "1.25", completionRatio: "6" });
    expect(typed(form, "outputPrice", "30")).toMatchObject({ ratio: "1.5", completionRatio: "10" });
    expect(typed(form, "outputPrice", "")).toMatchObject({ completionRatio: "" });
    expect(typed(form, "ratio", "2")).toMatchObject({ inputPrice: "4", outputPrice: "20" });
    expect(rowOfForm(typed(form, "inputPrice", "0.1"))).toMatchObject({ ratio: 0.05, completionRatio: 150 });
  });

  test("is checked", () => {
    expect(checkPriceForm(form, free)).toEqual({});
    expect(checkPriceForm({ ...form, name: " " }, free)).toEqual({ name: "required" });
    expect(checkPriceForm(form, () => true)).toEqual({ name: "duplicate" });
    expect(checkPriceForm({ ...form, inputPrice: "x" }, free)).toEqual({ inputPrice: "number" });
    expect(checkPriceForm({ ...form, entry: "ratio", ratio: "" }, free)).toEqual({ ratio: "number" });
    const perCall = { ...form, billing: "per_call" } as const;
    expect(checkPriceForm({ ...perCall, price: "0" }, free)).toEqual({ price: "zero" });
    expect(checkPriceForm({ ...perCall, price: "-1" }, free)).toEqual({ price: "number" });
  });
});

describe("filling in many", () => {
  test.each([
    [{ mode: "ratio", value: "1", completion: "" }, 0, "selection"],
    [{ mode: "ratio", value: "", completion: "" }, 2, "value"],
    [{ mode: "both", value: "1", completion: "" }, 2, "both"],
    [{ mode: "both", value: "1", completion: "x" }, 2, "number"],
    [{ mode: "price", value: "0", completion: "" }, 2, "number"],
    [{ mode: "completionRatio", value: "4", completion: "" }, 2, null],
  ] as const)("%j for %d: %p", (fill, selected, fault) => expect(batchFault(fill, selected)).toBe(fault));

  test("changes the maps of its mode", () =>
    expect(withBatchPrices(MAPS, ["new"], { mode: "both", value: "1", completion: "3" })).toEqual({
      ModelRatio: { ...MAPS.ModelRatio, new: 1 },
      CompletionRatio: { ...MAPS.CompletionRatio, new: 3 },
    }));
});
