import type Stripe from "stripe";
import type { CardTerms } from "../change-terms.ts";
import type { PlanOrder } from "../driver.ts";

/** Whether a change that begins with the next period needs a schedule: Stripe would begin a period of another length at once. */
export const needsSchedule = ({ change: { isUpgrade, next, present } }: CardTerms): boolean =>
  !isUpgrade && (next.period !== present.period || next.periodCount !== present.periodCount);

/**
 * Has Stripe charge another price from the end of the paid period on, by a schedule of two phases after which the subscription goes on
 * by itself (https://docs.stripe.com/billing/subscriptions/subscription-schedules). The same `tradeNo` asks for it once. Throws what
 * Stripe's client throws.
 */
export async function scheduleChange(
  stripe: Stripe,
  { order, change: { next } }: CardTerms,
  { tradeNo, priceNo }: Readonly<{ tradeNo: string; priceNo: string }>,
): Promise<void> {
  const schedule = await stripe.subscriptionSchedules.create(
    { from_subscription: order.subscriptionNo },
    { idempotencyKey: `${tradeNo}S` },
  );
  const [present] = schedule.phases;
  if (!present) throw new Error(`the schedule ${schedule.id} has no phase`);
  const { start_date, end_date, trial_end } = present;
  await stripe.subscriptionSchedules.update(
    schedule.id,
    {
      ...{ end_behavior: "release", proration_behavior: "none" },
      phases: [
        {
          ...{ start_date, end_date, proration_behavior: "none", ...(trial_end !== null && { trial_end }) },
          items: present.items.map(({ price, quantity }) => ({ price: numberOf(price), quantity: quantity ?? 1 })),
        },
        {
          duration: { interval: next.period, interval_count: next.periodCount },
          ...{ proration_behavior: "none", items: [{ price: priceNo, quantity: 1 }] },
        },
      ],
    },
    { idempotencyKey: `${tradeNo}T` },
  );
}

/**
 * Ends a schedule of a subscription, if it has one: what it was to change is given up, or has begun. Stripe lets nobody cancel a
 * subscription that has one (https://docs.stripe.com/api/subscription_schedules/release).
 */
export async function releaseSchedule(stripe: Stripe, { subscriptionNo }: PlanOrder): Promise<void> {
  const { schedule } = await stripe.subscriptions.retrieve(subscriptionNo);
  if (schedule !== null) await stripe.subscriptionSchedules.release(numberOf(schedule));
}

/** The prices that the schedule of a subscription, which was read with it, will charge. */
export const scheduledPrices = ({ schedule }: Stripe.Subscription): readonly string[] =>
  schedule === null || typeof schedule === "string"
    ? []
    : schedule.phases.flatMap(({ items }) => items.map(({ price }) => numberOf(price)));

const numberOf = (what: string | Readonly<{ id: string }>): string => (typeof what === "string" ? what : what.id);
