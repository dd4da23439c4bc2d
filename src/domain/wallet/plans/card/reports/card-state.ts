import { and, desc, eq, inArray, ne, not, sql } from "drizzle-orm";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../../../db/types.ts";
import type { WalletDeps } from "../../../operation.ts";
import { applyEvent } from "../../plan-account.ts";
import type { PlanOrder } from "../driver.ts";

/** The state of a subscription at its service; `reportedAt`: when the service made the report, epoch seconds. */
export type CardState = Readonly<{
  tradeNo: string;
  subscriptionNo: string;
  reportedAt: number;
  /** It will not be renewed, or has ended. */
  isCanceled: boolean;
  hasEnded: boolean;
  /** Its invoices are not collected. */
  isPaused: boolean;
}>;

/** Takes over whether a subscription is renewed, from the newest report of it. The paid period runs to its end in any case. */
export async function applyCardState(
  { db }: Pick<WalletDeps, "db">,
  { tradeNo, subscriptionNo, reportedAt, isCanceled, hasEnded, isPaused }: CardState,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [first] = await tx.select().from(planOrders).where(eq(planOrders.tradeNo, tradeNo)).for("update");
    const order = first && ((await findCurrent(tx, subscriptionNo)) ?? first);
    if (!order || reportedAt < order.reportedAt || order.status === "ended") return;
    if (order.subscriptionNo !== "" && order.subscriptionNo !== subscriptionNo) return;
    // At PayPal a plan with periods of another length follows with a subscription of its own: it does not end with this one.
    const isItsOwn = sql`(${planOrders.service} = 'paypal' and ${planOrders.sessionNo} <> ${order.sessionNo})`;
    const followers = and(eq(planOrders.replacesId, order.id), eq(planOrders.status, "next"), isItsOwn);
    const hasFollower = hasEnded && (await tx.$count(planOrders, followers)) > 0;
    await tx
      .update(planOrders)
      .set({ reportedAt, subscriptionNo, ...(hasEnded && { status: "ended" }) })
      .where(eq(planOrders.id, order.id));
    for (const subscription of await lockOf(tx, order.id, order.userId)) {
      const input = { isCanceled: isCanceled || hasEnded, isPaused, hasNoNext: hasEnded && !hasFollower };
      await applyEvent(tx, subscription, "report", input);
    }
    if (hasEnded) {
      const isOpen = inArray(planOrders.status, ["pending", "next"]);
      await tx
        .update(planOrders)
        .set({ status: "ended" })
        .where(and(isOpen, eq(planOrders.replacesId, order.id), not(isItsOwn)));
      // It was to follow another that runs.
      if (order.replacesId !== null) {
        for (const subscription of await lockOf(tx, order.replacesId, order.userId))
          await applyEvent(tx, subscription, "planNext", { planId: null, extraSeats: null });
      }
    }
  });
}

/** The subscription that an order's payments renew, if it has not ended; locked until the transaction ends. */
const lockOf = (tx: Tx, orderId: number, userId: number) =>
  tx
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.orderId, orderId), eq(subscriptions.userId, userId), ne(subscriptions.status, "ended")))
    .for("update");

/** The order whose payments renew a subscription at a service now: the one that began it, or that changed it. */
async function findCurrent(tx: Tx, subscriptionNo: string): Promise<PlanOrder | undefined> {
  const [found] = await tx
    .select({ order: planOrders })
    .from(planOrders)
    .innerJoin(subscriptions, eq(subscriptions.orderId, planOrders.id))
    .where(eq(planOrders.subscriptionNo, subscriptionNo))
    .orderBy(desc(subscriptions.id))
    .limit(1);
  return found?.order;
}
