import { and, eq, inArray } from "drizzle-orm";
import { planPurchases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import type { DbOrTx, Tx } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { isRunning } from "../lifecycle.ts";
import { applyEvent, lockPlanAccount, logPlan, type PlanAccount, type Running } from "../plan-account.ts";
import { findAnyPlan } from "../subscribe.ts";
import { setPurchase } from "./pay-period.ts";

type Order = typeof topUpOrders.$inferSelect;
type Purchase = typeof planPurchases.$inferSelect;

/** Whether an order has paid a period of a plan instead of the balance. */
export async function hasPaidPeriod(db: DbOrTx, { id }: Pick<Order, "id">): Promise<boolean> {
  return (await findPaid(db, id)) !== undefined;
}

/**
 * Takes back the period that an order has paid, before its money is refunded: one that has not begun is not paid any more; the present
 * one ends at once. Throws OperationError: it is over, or the plan or its seats have changed since it began.
 */
export async function takePeriodBack(tx: Tx, order: Order): Promise<void> {
  const account = await lockPlanAccount(tx, order.userId);
  const purchase = await findPaid(tx, order.id);
  const plan = purchase && (await findAnyPlan(tx, purchase.planId));
  if (!purchase || !plan) throw new OperationError("order_refund_period");
  if (purchase.status === "begun") {
    const present = presentOf(account, purchase, order);
    if (!present) throw new OperationError("order_refund_period");
    await applyEvent(tx, present.subscription, "stop", null);
  }
  await setPurchase(tx, purchase, { status: "refunded" });
  await logPlan(tx, order.userId, "plan_payment_returned", plan, order.quota);
}

/** The subscription whose present period is the one that was paid. */
const presentOf = ({ running }: PlanAccount, purchase: Purchase, order: Order): Running | undefined =>
  running.find(
    ({ subscription }) =>
      subscription.id === purchase.subscriptionId &&
      isRunning(subscription) &&
      subscription.periodStart === purchase.periodStart &&
      subscription.planId === purchase.planId &&
      subscription.paid === order.quota,
  );

async function findPaid(db: DbOrTx, orderId: number): Promise<Purchase | undefined> {
  const [purchase] = await db
    .select()
    .from(planPurchases)
    .where(and(eq(planPurchases.orderId, orderId), inArray(planPurchases.status, ["next", "begun"])));
  return purchase;
}
