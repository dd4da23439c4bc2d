import { and, eq, isNull, ne, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../../db/types.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import type { WalletDeps } from "../../../operation.ts";
import { type StripeDeps, stripeClient } from "../../../payments/stripe.ts";
import { type Coupon, reserveCoupon } from "../../coupons.ts";
import { lookUpOrder } from "../poll-cards.ts";

/** Longer than anybody can approve a subscription on PayPal's page. */
const PAYPAL_PAGE_OPEN_S = 2 * 86_400;

type PlanOrder = typeof planOrders.$inferSelect;

/**
 * Stores an order of a plan, and returns it with the earlier orders of the account and plan whose pages to pay on may be open.
 * An earlier order that has no page yet gets none (`storePage`). Throws OperationError: the coupon cannot be used.
 */
export const storeOrder = (
  db: Db,
  values: typeof planOrders.$inferInsert,
  coupon: Coupon | null,
): Promise<Readonly<{ order: PlanOrder; earlier: PlanOrder[] }>> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('plan checkout'), ${values.userId})`);
    const isEarlier = and(
      ...[eq(planOrders.userId, values.userId), eq(planOrders.planId, values.planId), eq(planOrders.status, "pending")],
      // What changes a subscription has no page of its own.
      isNull(planOrders.replacesId),
    );
    await tx
      .update(planOrders)
      .set({ status: "ended" })
      .where(and(isEarlier, eq(planOrders.sessionNo, "")));
    const earlier = await tx
      .select()
      .from(planOrders)
      .where(and(isEarlier, ne(planOrders.sessionNo, "")));
    if (coupon) await reserveCoupon(tx, coupon, { ...values, now: values.createdAt });
    const [order] = await tx.insert(planOrders).values(values).returning();
    if (!order) throw new Error("the order was not stored");
    return { order, earlier };
  });

/** Stores the page that an order is paid on. False: a later order has replaced this one, so nobody may get to see its page. */
export async function storePage(db: Db, orderId: number, sessionNo: string): Promise<boolean> {
  const rows = await db
    .update(planOrders)
    .set({ sessionNo })
    .where(and(eq(planOrders.id, orderId), eq(planOrders.status, "pending")))
    .returning({ id: planOrders.id });
  return rows.length > 0;
}

/**
 * Closes the page of an earlier order at Stripe, so that it can't be paid any more
 * (https://docs.stripe.com/api/checkout/sessions/expire). PayPal has no such call: its page closes by itself, and what is paid there
 * all the same is a duplicate. Throws OperationError when it was paid meanwhile, and what Stripe's client throws.
 */
export async function closePage(deps: StripeDeps & WalletDeps, order: PlanOrder, now: number): Promise<void> {
  const isStripe = order.service === "stripe";
  if (!isStripe && order.createdAt < now - PAYPAL_PAGE_OPEN_S) return;
  if (!isStripe || (await wasPaid(await stripeClient(deps), order.sessionNo))) {
    await lookUpOrder(deps, order, now);
    const [current] = await deps.db.select().from(planOrders).where(eq(planOrders.id, order.id));
    if (current?.status === "active") throw new OperationError("plan_subscribed_already");
    if (isStripe && current?.status === "pending") throw new OperationError("plan_payment_pending");
  }
  const isPending = and(eq(planOrders.id, order.id), eq(planOrders.status, "pending"));
  if (isStripe) await deps.db.update(planOrders).set({ status: "ended" }).where(isPending);
}

/** Expires a page, unless it was paid before: then true. */
async function wasPaid(stripe: Stripe, sessionNo: string): Promise<boolean> {
  try {
    await stripe.checkout.sessions.expire(sessionNo);
    return false;
  } catch (failure) {
    // Only open pages can be expired: this one may have been paid, or be closed already.
    try {
      const { status } = await stripe.checkout.sessions.retrieve(sessionNo);
      if (status === "open") throw failure;
      return status === "complete";
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "resource_missing") return false;
      throw error;
    }
  }
}
