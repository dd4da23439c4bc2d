import type { ServedModel } from "../../../../src/domain/channels/routing/abilities.ts";
import { pricedName } from "../../../api/models/pricing.ts";
import { roundTo } from "../../../lib/format/number.ts";
import { isNumber, isRecord, mapOf, readRecord } from "../../../lib/json.ts";

/** The price options, each a map of model → number. */
export const PRICE_KEYS = [
  "ModelPrice",
  "MegapixelPrice",
  "ModelRatio",
  "CompletionRatio",
  "CacheRatio",
  "CacheCreationRatio",
  "AudioRatio",
  "AudioCompletionRatio",
  "ImageRatio",
  "ImageCompletionRatio",
] as const;
export type PriceKey = (typeof PRICE_KEYS)[number];

/** All price options whose value is JSON, the maps of numbers first. */
export const PRICE_OPTIONS = [
  ...PRICE_KEYS,
  "VideoPrice",
  "ToolPrice",
  "ContextTiers",
  "ServiceTiers",
  "ServiceTierMultipliers",
  "PriceHours",
] as const;

export type NumberMap = Readonly<Record<string, number>>;
export type PriceMaps = Readonly<Record<PriceKey, NumberMap>>;

/** A model in the visual editor. A fixed price overrides its ratios. */
export type PriceRow = Readonly<{
  name: string;
  /** Dollars per call. */
  price: number | null;
  /** Dollars of each further megapixel of an image; null: the price is for images of every size. */
  megapixelPrice: number | null;
  ratio: number | null;
  /** Null: its family's ratio. */
  completionRatio: number | null;
  cacheRatio: number | null;
}>;

/** Dollars per million tokens at a ratio of 1. */
const USD_PER_RATIO = 2;
const PLACES = 6;

const rounded = (value: number): number => roundTo(value, PLACES);

/** The ratio of a model whose million input tokens cost this many dollars. */
export const ratioOfPrice = (usd: number): number => rounded(usd / USD_PER_RATIO);
export const priceOfRatio = (ratio: number): number => rounded(ratio * USD_PER_RATIO);

/** The price of output relative to input; 1 if input is free. */
export const completionRatioOf = (inputUsd: number, outputUsd: number): number =>
  inputUsd === 0 ? 1 : rounded(outputUsd / inputUsd);

/** Parses a map of numbers; null if invalid. */
export const readNumberMap = (text: string): NumberMap | null => mapOf(readRecord(text), isNumber);

const isNumberMap = (value: unknown): value is NumberMap => mapOf(value, isNumber) !== null;
const isPriceMaps = (value: unknown): value is PriceMaps =>
  isRecord(value) && PRICE_KEYS.every((key) => isNumberMap(value[key]));

/** All price maps, or the name of the first that is invalid. */
export function readPriceMaps(textOf: (key: PriceKey) => string): PriceMaps | { invalid: PriceKey } {
  const maps = Object.fromEntries(PRICE_KEYS.map((key) => [key, readNumberMap(textOf(key))]));
  return isPriceMaps(maps) ? maps : { invalid: PRICE_KEYS.find((key) => !maps[key]) ?? PRICE_KEYS[0] };
}

/** The rows of all models that have any price, by name. */
export function priceRows(maps: PriceMaps): PriceRow[] {
  const names = new Set([...Object.keys(maps.ModelPrice), ...Object.keys(maps.ModelRatio)]);
  for (const name of Object.keys(maps.CompletionRatio)) names.add(name);
  return [...names].sort((a, b) => a.localeCompare(b, "en")).map((name) => rowOf(maps, name));
}

/** The stored values of one model. */
export const rowOf = (maps: PriceMaps, name: string): PriceRow => ({
  name,
  price: maps.ModelPrice[name] ?? null,
  megapixelPrice: maps.MegapixelPrice[name] ?? null,
  ratio: maps.ModelRatio[name] ?? null,
  completionRatio: maps.CompletionRatio[name] ?? null,
  cacheRatio: maps.CacheRatio[name] ?? null,
});

/** The maps with a row set; its null values are removed. Returns only maps that change. */
export function withRow(maps: PriceMaps, row: PriceRow): Partial<Record<PriceKey, NumberMap>> {
  const entries = [
    ["ModelPrice", row.price],
    ["MegapixelPrice", row.megapixelPrice],
    ["ModelRatio", row.ratio],
    ["CompletionRatio", row.completionRatio],
    ["CacheRatio", row.cacheRatio],
  ] as const;
  const changed: Partial<Record<PriceKey, NumberMap>> = {};
  for (const [key, value] of entries) {
    if ((maps[key][row.name] ?? null) === value) continue;
    const { [row.name]: _, ...others } = maps[key];
    changed[key] = value === null ? others : { ...maps[key], [row.name]: value };
  }
  return changed;
}

/**
 * Models that are served but have no price, neither under the requested name nor under an upstream's name: only users
 * who accept models without a price can call them.
 */
export function modelsWithoutPrice(served: readonly ServedModel[], maps: PriceMaps): string[] {
  const hasPrice = (name: string) => Object.hasOwn(maps.ModelPrice, name) || Object.hasOwn(maps.ModelRatio, name);
  const unpriced = served.filter(({ model, upstream }) => ![model, ...upstream].map(pricedName).some(hasPrice));
  return unpriced.map(({ model }) => model);
}

export type PriceDifference = Readonly<{ key: PriceKey; model: string; before: number | null; after: number }>;

/**
 * The changes that applying `list` would make: models that are missing or have another value. Models that it lacks
 * stay.
 */
export function priceDifferences(maps: PriceMaps, list: PriceMaps): PriceDifference[] {
  return PRICE_KEYS.flatMap((key) =>
    Object.entries(list[key]).flatMap(([model, after]) => {
      const before = maps[key][model] ?? null;
      return before === after ? [] : [{ key, model, before, after }];
    }),
  ).sort((a, b) => a.model.localeCompare(b.model, "en"));
}

/** The maps with the given changes applied; only those that change. */
export function withDifferences(
  maps: PriceMaps,
  differences: readonly PriceDifference[],
): Partial<Record<PriceKey, NumberMap>> {
  const changed: Partial<Record<PriceKey, Record<string, number>>> = {};
  for (const { key, model, after } of differences) {
    const map = changed[key] ?? { ...maps[key] };
    map[model] = after;
    changed[key] = map;
  }
  return changed;
}
