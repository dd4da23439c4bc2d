import { type Decimal, decimal, divide, toText } from "../../../lib/values/decimal.ts";
import type { PriceSection } from "../list-prices.ts";

const PLACES = 6;
export const YUAN_PER_USD = decimal("7.3");

/** A price of a section, in dollars. */
export const inDollars = (price: number, currency: PriceSection["currency"]): number =>
  currency === "CNY" ? quotient(price, YUAN_PER_USD) : price;

/** Rounded as ratios are. */
export const quotient = (a: number, b: Decimal): number => Number(toText(divide(decimal(a), b, PLACES)));
