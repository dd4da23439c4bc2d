import { decimal, integer, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import { hasNoMinorUnit } from "./quote.ts";

/** An amount of money (decimal text) in the smallest coin of its currency, as cards are charged. */
export const smallestUnits = (money: string, currency: string): number =>
  roundToInteger(multiply(decimal(money), integer(hasNoMinorUnit(currency) ? 1 : 100)));

/** The amount of money that so many of the smallest coin are, as decimal text. */
export const moneyOf = (units: number, currency: string): string =>
  hasNoMinorUnit(currency) ? String(units) : `${units}e-2`;
