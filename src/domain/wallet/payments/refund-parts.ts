import { moneyOf, smallestUnits } from "./currency-units.ts";

type Money = Readonly<{ money: string; tax: string }>;

/**
 * What a report adds to what was paid back `before` of a payment, with the share of the tax in it: all parts together pay back all of the
 * tax. `units`: in the smallest coin, what it paid back or, with `isTotal`, all that was so far. Null: nothing, or more than was paid.
 */
export function partOf(
  { units, isTotal }: Readonly<{ units: number; isTotal: boolean }>,
  due: Money,
  before: Money,
  currency: string,
): Money | null {
  const of = (money: string) => smallestUnits(money, currency);
  const paid = of(due.money);
  const after = isTotal ? units : of(before.money) + units;
  if (!Number.isSafeInteger(units) || after <= of(before.money) || after > paid) return null;
  const text = (value: number) => Number(moneyOf(value, currency)).toFixed(2);
  return {
    money: text(after - of(before.money)),
    tax: text(shareOf(of(due.tax), after, paid) - of(before.tax)),
  };
}

/** `units` × `part` / `total`, rounded half up. */
export const shareOf = (units: number, part: number, total: number): number =>
  Number((2n * BigInt(units) * BigInt(part) + BigInt(total)) / (2n * BigInt(total)));
