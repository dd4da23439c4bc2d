import type { Usage } from "../../../formats/conversation/reply.ts";
import {
  add,
  type Decimal,
  decimal,
  integer,
  isNegative,
  multiply,
  ONE,
  roundToInteger,
  ZERO,
} from "../../../lib/values/decimal.ts";
import { isNamePattern, type NamePattern, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import type { Price, Receipt } from "../../types.ts";
import { quantitiesOf, saneUsage } from "../charge.ts";
import { tierOf } from "../price-rules.ts";
import { appliedFactors } from "../service-tiers.ts";
import { LONG_CACHE_FACTOR } from "./family-ratios.ts";

/** Amounts of a channel's own price: dollars of a million tokens, and of a call (an image, a second). */
export const COST_AMOUNTS = [
  ...(["input", "cache_read", "cache_write", "cache_write_1h", "audio_input", "image_input"] as const),
  ...(["output", "audio_output", "image_output", "per_call"] as const),
] as const;

type CostPrice = Readonly<Partial<Record<(typeof COST_AMOUNTS)[number], Decimal>>>;

/** What calls of a channel cost the operator. */
export type ChannelCosts = Readonly<{
  /** Part of the site's price, before ratios of groups; null: not stated. */
  ratio: Decimal | null;
  /** Prices of models by upstream name or pattern, in the order written. */
  prices: readonly Readonly<{ pattern: NamePattern; price: CostPrice }>[];
}>;

/** More than a service lists. */
const MOST_PRICES = 2_000;
const MOST_USD = decimal(1_000_000);

/** A ratio or an amount, from a number or decimal text; null: it is none, is negative or too large. */
export function readCostAmount(value: unknown): Decimal | null {
  if (typeof value !== "number" && typeof value !== "string") return null;
  try {
    const read = decimal(value);
    return isNegative(read) || read.gt(MOST_USD) ? null : read;
  } catch {
    return null;
  }
}

/** Prices by upstream name or pattern, as a channel's settings have them; null: they are none. */
export function readCostPrices(value: unknown): ChannelCosts["prices"] | null {
  const models = membersOf(value);
  if (!models || models.length > MOST_PRICES) return null;
  const prices = models.map(([name, amounts]) => {
    const price = readCostPrice(amounts);
    return name.trim() === "" || price === null ? null : { pattern: namePattern(name), price };
  });
  const read = prices.filter((price) => price !== null);
  if (read.length < prices.length) return null;
  // Names go before patterns, wherever they are written.
  return read.toSorted((a, b) => Number(isNamePattern(a.pattern.source)) - Number(isNamePattern(b.pattern.source)));
}

function readCostPrice(value: unknown): CostPrice | null {
  const amounts = membersOf(value);
  if (!amounts || amounts.length === 0) return null;
  const price: Partial<Record<(typeof COST_AMOUNTS)[number], Decimal>> = {};
  for (const [name, amount] of amounts) {
    const item = COST_AMOUNTS.find((known) => known === name);
    const usd = readCostAmount(amount);
    if (!item || !usd) return null;
    price[item] = usd;
  }
  return price;
}

const membersOf = (value: unknown): [name: string, value: unknown][] | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;

/** What a channel's settings say of its costs; null: nothing. */
export function readChannelCosts(
  setting: Readonly<{ cost_ratio?: unknown; cost_prices?: unknown }>,
): ChannelCosts | null {
  const ratio = readCostAmount(setting.cost_ratio);
  const prices = readCostPrices(setting.cost_prices) ?? [];
  return ratio === null && prices.length === 0 ? null : { ratio, prices };
}

/** A call whose cost is computed: its usage, and how it was charged. */
type CostedCall = Readonly<{
  upstreamModel: string;
  usage: Usage;
  price: Price | null;
  receipt: Receipt | null;
}>;

/** Lines of receipts that tokens and calls have; all others are tools. */
const OF_MODEL: ReadonlySet<string> = new Set([
  ...COST_AMOUNTS,
  ...["per_second", "output_megapixel", "input_megapixel", "minimum"],
]);
const OF_CALL: ReadonlySet<string> = new Set(["per_call", "per_second"]);
const A_MILLIONTH = decimal("0.000001");

/**
 * What a call cost the operator, in whole quota units, rounded once, halves away from zero. By a price of the channel: tokens,
 * or calls, times its amounts, with the factors of length, hours and service tiers that the call was charged by; tools that the
 * provider ran at the site's price. Else the channel's part of the site's price, before ratios of groups. Null: the channel says
 * nothing of the model.
 */
export function channelCost({ ratio, prices }: ChannelCosts, call: CostedCall, quotaPerUnit: Decimal): number | null {
  const { usage, price, receipt, upstreamModel } = call;
  const own = prices.find(({ pattern }) => pattern.test(upstreamModel))?.price;
  if (!own) return ratio && roundToInteger(multiply(decimal(receipt?.subtotal ?? "0"), ratio));
  const counted = saneUsage(usage);
  const lines = receipt?.lines ?? [];
  const tools = lines.filter(({ item }) => !OF_MODEL.has(item)).map(({ amount }) => decimal(amount));
  const perUsd = multiply(ofTokens(own, price, counted), A_MILLIONTH);
  const calls = own.per_call ? multiply(own.per_call, callsOf(lines, counted)) : ZERO;
  const exact = add(multiply(add(perUsd, calls), quotaPerUnit), multiply(tools.reduce(add, ZERO), ratio ?? ONE));
  return roundToInteger(exact);
}

/** Dollars of a million tokens times tokens. */
function ofTokens(own: CostPrice, price: Price | null, usage: Usage): Decimal {
  const factors = price ? appliedFactors(price) : { input: ONE, output: ONE, cacheRead: ONE };
  const tier = price?.kind === "per_token" ? tierOf(price.contextTiers, usage.promptTokens) : undefined;
  const [ofInput, ofOutput] = [tier?.input ?? ONE, tier?.output ?? ONE];
  const [asInput, asOutput] = [multiply(ofInput, factors.input), multiply(ofOutput, factors.output)];
  const { input = ZERO, output = ZERO, cache_write: write = input } = own;
  const { cache_write_1h: longWrite = own.cache_write ? multiply(own.cache_write, LONG_CACHE_FACTOR) : input } = own;
  // In the order of the quantities.
  const amounts = [
    multiply(input, asInput),
    multiply(own.cache_read ?? input, multiply(ofInput, factors.cacheRead)),
    ...[write, longWrite, own.audio_input ?? input, own.image_input ?? input].map((usd) => multiply(usd, asInput)),
    ...[output, own.audio_output ?? output, own.image_output ?? output].map((usd) => multiply(usd, asOutput)),
  ];
  const parts = { kind: "per_token", imageRatio: own.image_input, imageCompletionRatio: own.image_output } as const;
  return quantitiesOf(parts, usage).reduce(
    (sum, count, at) => add(sum, multiply(amounts[at] ?? ZERO, integer(count))),
    ZERO,
  );
}

/** Calls, images or seconds: as the receipt counts them, else one where anything was used. */
function callsOf(lines: Receipt["lines"], { promptTokens, completionTokens, media }: Usage): Decimal {
  const line = lines.find(({ item }) => OF_CALL.has(item));
  if (line) return decimal(line.quantity);
  return promptTokens + completionTokens > 0 || media ? ONE : ZERO;
}
