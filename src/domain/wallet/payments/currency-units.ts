import { decimal, multiply, roundToWhole, whole } from "../../../lib/values/decimal.ts";
import { isWholeCurrency } from "./quote.ts";

/** An amount of money (decimal text) in the smallest coin of its currency, as cards are charged. */
export const smallestUnits = (money: string, currency: string): number =>
  roundToWhole(multiply(decimal(money), whole(isWholeCurrency(currency) ? 1 : 100)));

/** The amount of money that so many of the smallest coin are, as decimal text. */
export const moneyOf = (units: number, currency: string): string =>
  isWholeCurrency(currency) ? String(units) : `${units}e-2`;
