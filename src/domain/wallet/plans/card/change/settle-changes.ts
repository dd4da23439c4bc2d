import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../../db/types.ts";
import { endChange, isUnderWay, noteNext } from "../open-changes.ts";
import { scheduledPrices } from "./schedule.ts";

/**
 * Compares changes of a subscription's plan that are open here with what Stripe has now (`subscription` was just read with its
 * schedule; its paid invoices are applied): one that Stripe charges from the next period on is noted, one that it gave up ends, and one that waits for its payment
 * goes on waiting.
 */
export async function settleChanges(db: Db, subscription: Stripe.Subscription, now: number): Promise<void> {
  const isOpen = and(isNotNull(planOrders.replacesId), inArray(planOrders.status, ["pending", "next"]));
  const open = await db
    .select()
    .from(planOrders)
    .where(and(isOpen, eq(planOrders.subscriptionNo, subscription.id)));
  const has = (items: readonly Stripe.SubscriptionItem[], priceNo: string) =>
    items.some(({ price }) => price.id === priceNo);
  for (const change of open) {
    if (isUnderWay(change, now)) continue;
    if (has(subscription.items.data, change.priceNo) || scheduledPrices(subscription).includes(change.priceNo)) {
      if (change.status === "pending" && change.firstMoney === null) await noteNext(db, change);
    } else if (!has(subscription.pending_update?.subscription_items ?? [], change.priceNo)) await endChange(db, change);
  }
}
