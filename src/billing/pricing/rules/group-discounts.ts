import { type Decimal, decimal, isNegative, multiply, subtract } from "../../../lib/values/decimal.ts";

/** What a group pays less for a while. Times are epoch seconds; `until` is the first second after it. */
export type GroupDiscount = Readonly<{ group: string; percent: Decimal; from: number; until: number }>;

/** Discounts at one moment. */
export type ActiveDiscounts = Readonly<{
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
