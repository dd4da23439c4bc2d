import { and, eq, gt, inArray, isNotNull, lte, notInArray, or, sql } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { PLAN_SERVICES, planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { StripePlanDeps } from "./driver.ts";
import { createDrivers } from "./drivers.ts";

/** A checkout page of Stripe is open for a day. */
const PAGE_OPEN_S = 86_400;
const DAY_S = 86_400;
const HOUR_S = 3600;
const SETTLING_S = 600;

/**
 * Asks Stripe and PayPal for what their webhooks should have reported and may not have: of orders that nobody is known to have paid, and of
 * subscriptions, once a day and when their period is over. Returns how many were asked for.
 */
export async function pollCards(deps: StripePlanDeps, signal?: AbortSignal, now = nowSeconds()): Promise<number> {
  const { db, log } = deps;
  const drivers = createDrivers(deps);
  const services = PLAN_SERVICES.filter((service) => drivers[service].isSetUp());
  if (services.length === 0) return 0;
  await giveUpDeleted(db);
  const overdue = db
    .select({ id: subscriptions.orderId })
    .from(subscriptions)
    .where(
      and(
        ...[isNotNull(subscriptions.orderId), lte(subscriptions.periodEnd, now)],
        notInArray(subscriptions.status, ["ended", "paused"]),
      ),
    );
  const due = await db
    .select()
    .from(planOrders)
    .where(
      and(
        inArray(planOrders.service, services),
        or(
          // Until it was looked at once after its page was closed.
          and(
            ...[eq(planOrders.status, "pending"), lte(planOrders.createdAt, now - SETTLING_S)],
            sql`${planOrders.polledAt} < ${planOrders.createdAt} + ${PAGE_OPEN_S}`,
          ),
          and(
            eq(planOrders.status, "active"),
            or(lte(planOrders.polledAt, now - DAY_S), inArray(planOrders.id, overdue)),
          ),
          eq(planOrders.status, "duplicate"),
          // Nothing else asks for one that follows another with a subscription of its own.
          and(eq(planOrders.status, "next"), eq(planOrders.service, "paypal"), lte(planOrders.polledAt, now - HOUR_S)),
          // Its last payment may not have been reported.
          and(eq(planOrders.status, "ended"), gt(planOrders.reportedAt, planOrders.polledAt)),
        ),
      ),
    );
  if (due.length === 0) return 0;
  for (const order of due) {
    if (signal?.aborted) break;
    try {
      await drivers[order.service].lookUp(order, now);
    } catch (error) {
      const reason = messageOf(error);
      log.warn({ tradeNo: order.tradeNo, reason }, "a plan's payments could not be looked up");
    }
  }
  return due.length;
}

/** Accounts that were deleted are not charged any more: what renews their plans is to be canceled. */
async function giveUpDeleted(db: Db): Promise<void> {
  const deleted = db.select({ id: users.id }).from(users).where(isNotNull(users.deletedAt));
  await db
    .update(planOrders)
    .set({ status: "duplicate" })
    .where(
      and(
        or(eq(planOrders.status, "active"), and(eq(planOrders.status, "next"), eq(planOrders.service, "paypal"))),
        inArray(planOrders.userId, deleted),
      ),
    );
}
