import type { ModelInfo } from "../../catalog/catalog.ts";
import { type Decimal, decimal, isNegative, multiply, ONE, subtract, toText } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import { PRICE_SECTIONS } from "./list-prices.ts";
import { DEFAULT_MODEL_PRICE, DEFAULT_VIDEO_PRICE, type RatioMap } from "./ratios/default-ratios.ts";
import { inDollars } from "./ratios/usd-prices.ts";

/** What a model is billed for: a minute of sound counts as 1,000 tokens, characters count as tokens. */
export type PriceUnit = "token" | "character" | "minute" | "image" | "second" | "video" | "call";

/** What the price of a model is for, as calls are charged. `onlyFilms`: its channel makes nothing but videos. */
export function priceUnitOf(
  { billed_by: unit, output_modalities }: ModelInfo,
  { kind }: Pick<Price, "kind">,
  onlyFilms: boolean,
): PriceUnit {
  if (kind === "per_token") return unit === null || unit === "second" || unit === "video" ? "token" : unit;
  if (unit === "video") return "video";
  if (onlyFilms || unit === "second") return "second";
  return unit === "image" || output_modalities?.includes("image") ? "image" : "call";
}

/** A price step: calls whose prompt is longer than `over` tokens pay so many times the price, input and output apart. */
export type ContextTier = Readonly<{ over: number; input: Decimal; output: Decimal }>;

/** The step that a prompt of so many tokens is on: the highest that it is over; undefined: the base price. */
export const tierOf = (tiers: readonly ContextTier[] | undefined, promptTokens: number): ContextTier | undefined =>
  tiers?.findLast(({ over }) => promptTokens > over);

/** The highest factors among tiers that a prompt may reach and the base price. */
export const highestTier = (reached: readonly ContextTier[]): Readonly<{ input: Decimal; output: Decimal }> =>
  reached.reduce<Pick<ContextTier, "input" | "output">>(
    (highest, { input, output }) => ({ input: dearer(highest.input, input), output: dearer(highest.output, output) }),
    { input: ONE, output: ONE },
  );

/** The higher of two ratios. */
export const dearer = (a: Decimal, b: Decimal): Decimal => (isNegative(subtract(a, b)) ? b : a);

/** What a group pays less for a while. Times are epoch seconds; `until` is the first second after it. */
export type GroupDiscount = Readonly<{ group: string; percent: Decimal; from: number; until: number }>;

/** Discounts at one moment. */
type ActiveDiscounts = Readonly<{
  /** Group → its discount; of several the largest counts. */
  byGroup: ReadonlyMap<string, GroupDiscount>;
  /** Epoch seconds at which this may change; infinite when nothing is to come. */
  validUntil: number;
}>;

const ONE_PERCENT = decimal("0.01");
const ALL = decimal(100);

/** The discounts in force at `nowSeconds`. */
export function discountsAt(discounts: readonly GroupDiscount[], nowSeconds: number): ActiveDiscounts {
  const byGroup = new Map<string, GroupDiscount>();
  let validUntil = Number.POSITIVE_INFINITY;
  for (const discount of discounts) {
    const { group, percent, from, until } = discount;
    if (until <= nowSeconds) continue;
    validUntil = Math.min(validUntil, from > nowSeconds ? from : until);
    if (from > nowSeconds) continue;
    const known = byGroup.get(group);
    if (!known || isNegative(subtract(known.percent, percent))) byGroup.set(group, discount);
  }
  return { byGroup, validUntil };
}

/** What is left of a ratio after a discount, exact. */
export const discounted = (ratio: Decimal, { percent }: Pick<GroupDiscount, "percent">): Decimal =>
  multiply(ratio, multiply(subtract(ALL, percent), ONE_PERCENT));

/** What a second, or a video, costs when an order asks for all of this: field → the values that count. */
export type PriceVariant = Readonly<{
  /** As it was written: `mode=pro,sound=on`. */
  text: string;
  conditions: readonly (readonly [field: string, values: readonly string[]])[];
  usd: Decimal;
}>;

/** What an order asks for, by the provider's names of fields, in lower case. */
export type RequestedVariant = Readonly<Record<string, string>>;

/** The variant that an order falls under: of those whose conditions all hold, one with the most; undefined: none. */
export function variantOf(
  variants: readonly PriceVariant[] = [],
  requested: RequestedVariant,
): PriceVariant | undefined {
  const fits = variants.filter(({ conditions }) =>
    conditions.every(([field, values]) => Object.hasOwn(requested, field) && values.includes(requested[field] ?? "")),
  );
  return fits.reduce<PriceVariant | undefined>(
    (best, variant) => (best && best.conditions.length >= variant.conditions.length ? best : variant),
    undefined,
  );
}

/** Reads `mode=pro,size=1024x1792|1792x1024`; undefined: it is none. */
export function readConditions(text: string): PriceVariant["conditions"] | undefined {
  const conditions = text.split(",").map((part) => {
    const [field = "", values = "", ...others] = part.split("=").map((side) => side.trim());
    const each = values.split("|").map((value) => value.trim().toLowerCase());
    return { field, each, isValid: field !== "" && others.length === 0 && each.every((value) => value !== "") };
  });
  const fields = new Set(conditions.map(({ field }) => field));
  if (fields.size < conditions.length || conditions.some(({ isValid }) => !isValid)) return undefined;
  return conditions.map(({ field, each }) => [field, each]);
}

type Prices = ReadonlyMap<string, Decimal>;
type Variants = ReadonlyMap<string, readonly PriceVariant[]>;

/**
 * Variants that count: shipped ones count only with the shipped price of their model. Who sets another price for it
 * means that one, until they set variants of their own too.
 */
export function variantsInForce(modelPrice: Prices, videoPrice: Variants): Variants {
  const inForce = [...videoPrice].filter(
    ([model, variants]) => hasShippedPrice(modelPrice, model) || !areShipped(model, variants),
  );
  return inForce.length === videoPrice.size ? videoPrice : new Map(inForce);
}

function hasShippedPrice(modelPrice: Prices, model: string): boolean {
  const price = modelPrice.get(model);
  return price !== undefined && isSame(price, DEFAULT_MODEL_PRICE[model]);
}

function areShipped(model: string, variants: readonly PriceVariant[]): boolean {
  const shipped = DEFAULT_VIDEO_PRICE[model] ?? {};
  return (
    variants.length === Object.keys(shipped).length && variants.every(({ text, usd }) => isSame(usd, shipped[text]))
  );
}

const isSame = (price: Decimal, shipped: number | undefined): boolean =>
  shipped !== undefined && toText(price) === toText(decimal(shipped));

/**
 * Shipped default of the option ToolPrice: USD for each use of a tool that the provider runs itself. `tool:prefix` is the
 * price with models whose names begin so. Code interpreter is charged by container.
 */
export const DEFAULT_TOOL_PRICE: RatioMap = Object.fromEntries(
  PRICE_SECTIONS.flatMap(({ toolUse = {}, currency }) =>
    Object.entries(toolUse).map(([tool, price]) => [tool, inDollars(price, currency)]),
  ),
);

/** USD for one use of a tool with a model: the entry with the longest prefix counts; undefined: it costs nothing. */
export function toolPriceOf(prices: ReadonlyMap<string, Decimal>, tool: string, model: string): Decimal | undefined {
  for (let length = model.length; length > 0; length -= 1) {
    const own = prices.get(`${tool}:${model.slice(0, length)}`);
    if (own) return own;
  }
  return prices.get(tool);
}
