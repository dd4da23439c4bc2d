import type { ReplayTarget } from "../../../../db/schema/models/replays.ts";
import { add, decimal, divide, integer, multiply, roundToInteger } from "../../../lib/values/decimal.ts";

type Tokens = Readonly<{
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
}>;

const MILLION = integer(1_000_000);
/** Prices of a token may be small; the sum is rounded once. */
const PLACES = 24;

/** What tokens cost in quota units, by prices in dollars for a million; rounded once. */
export function priceTokens(
  { input, output, cached = input }: NonNullable<ReplayTarget["prices"]>,
  { promptTokens, cachedTokens, completionTokens }: Tokens,
  quotaPerUnit: number,
): number {
  const fromCache = Math.min(cachedTokens, promptTokens);
  const parts = [
    multiply(decimal(input), integer(promptTokens - fromCache)),
    multiply(decimal(cached), integer(fromCache)),
    multiply(decimal(output), integer(completionTokens)),
  ];
  const dollars = divide(parts.reduce(add), MILLION, PLACES);
  return roundToInteger(multiply(dollars, decimal(quotaPerUnit)));
}
