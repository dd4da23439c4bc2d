import type { Db, Tx } from "../../../../../db/types.ts";
import { type Coupon, couponOf, priceWith } from "../coupons.ts";
import type { Plan, Subscription } from "../plan-account.ts";
import { findPlan } from "../subscribe.ts";

/** What follows the present period of a subscription; `price` in quota units. */
export type NextPeriod = Readonly<{ plan: Plan; coupon: Coupon | null; extraSeats: number; price: number }>;

/** Seats that are added to the plan in the next period. */
export const seatsToAdd = ({ extraSeats, nextExtraSeats }: Subscription): number => nextExtraSeats ?? extraSeats;

/** Reads what follows the present period. Throws OperationError: nobody offers its plan any more. */
export async function readNextPeriod(
  db: Db | Tx,
  { subscription }: Readonly<{ subscription: Subscription }>,
): Promise<NextPeriod> {
  const plan = await findPlan(db, subscription.nextPlanId ?? subscription.planId);
  const coupon = await couponOf(db, subscription);
  const extraSeats = seatsToAdd(subscription);
  return { plan, coupon, extraSeats, price: priceWith(plan, coupon, extraSeats) };
}
