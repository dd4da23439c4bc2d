import { and, eq, gt, inArray, isNotNull, lte, notInArray, or, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { PLAN_SERVICES, planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { WalletDeps } from "../../operation.ts";
import { takesPaypal } from "../../payments/direct/paypal/client.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../payments/stripe.ts";
import { settleChanges } from "./change/settle-changes.ts";
import { lookUpPaypal } from "./paypal/subscription.ts";
import { applyReportedInvoice, applyReportedSubscription, cancelDuplicate } from "./stripe-events.ts";

type PlanOrder = typeof planOrders.$inferSelect;

/** A checkout page of Stripe is open for a day. */
const PAGE_OPEN_S = 86_400;
const DAY_S = 86_400;
const HOUR_S = 3600;
const SETTLING_S = 600;
/** A page of invoices: more periods than pass between two looks. */
const INVOICES = 20;

/**
 * Asks Stripe and PayPal for what their webhooks should have reported and may not have: of orders that nobody is known to have paid, and of
 * subscriptions, once a day and when their period is over. Returns how many were asked for.
 */
export async function pollCards(
  deps: StripeDeps & WalletDeps,
  signal?: AbortSignal,
  now = nowSeconds(),
): Promise<number> {
  const { db, settings, log } = deps;
  const services = PLAN_SERVICES.filter((service) =>
    service === "paypal" ? takesPaypal(settings) : takesCards(settings),
  );
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
      await lookUpOrder(deps, order, now);
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

/**
 * Asks the service for the payments of an order and the state of its subscription, and applies them. Throws what Stripe's client
 * throws, and PaymentServiceError.
 */
export async function lookUpOrder(deps: StripeDeps & WalletDeps, order: PlanOrder, now: number): Promise<void> {
  if (order.service === "paypal") await lookUpPaypal(deps, order, now);
  else await lookUpStripe(deps, order, now);
  await deps.db.update(planOrders).set({ polledAt: now }).where(eq(planOrders.id, order.id));
}

async function lookUpStripe(
  deps: StripeDeps & WalletDeps,
  { tradeNo, status, sessionNo, ...order }: PlanOrder,
  now: number,
): Promise<void> {
  const stripe = await stripeClient(deps);
  const subscriptionNo = order.subscriptionNo || (await subscriptionOf(stripe, sessionNo));
  if (subscriptionNo === "") return;
  if (status === "duplicate") await cancelDuplicate(deps, { tradeNo, subscriptionNo });
  const { data } = await stripe.invoices.list({ subscription: subscriptionNo, status: "paid", limit: INVOICES });
  // Oldest first, as they were paid.
  for (const invoice of data.toReversed()) await applyReportedInvoice(deps, invoice, now);
  const subscription = await stripe.subscriptions.retrieve(subscriptionNo, { expand: ["schedule"] });
  await applyReportedSubscription(deps, subscription, now);
  await settleChanges(deps.db, subscription, now);
}

/** Stripe's number of the subscription that a checkout began; empty: nobody has paid there. */
async function subscriptionOf(stripe: Stripe, sessionNo: string): Promise<string> {
  if (sessionNo === "") return "";
  const { subscription } = await stripe.checkout.sessions.retrieve(sessionNo);
  return typeof subscription === "string" ? subscription : (subscription?.id ?? "");
}
