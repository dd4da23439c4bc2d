import { randomUUID } from "node:crypto";
import { and, desc, eq, inArray, ne } from "drizzle-orm";
import type Stripe from "stripe";
import { planOrders } from "../../../../../db/schema/billing/plan-orders.ts";
import { plans, subscriptions } from "../../../../../db/schema/billing/plans.ts";
import { billingProfiles } from "../../../../../db/schema/billing/statements.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { divide, integer, multiply, roundUp, toText } from "../../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { WalletDeps } from "../../operation.ts";
import { smallestUnits } from "../../payments/currency-units.ts";
import { groupFactor, hasNoMinorUnit } from "../../payments/quote.ts";
import { takesCards } from "../../payments/start-stripe.ts";
import { type StripeDeps, stripeClient } from "../../payments/stripe-client.ts";
import { addTax, type TaxedQuote } from "../../payments/tax/tax.ts";
import type { Plan } from "../plan-account.ts";
import { hadPlan } from "../subscribe.ts";
import { closePage, storeOrder, storePage } from "./one-page.ts";

type Customer = Readonly<{ id: number; group: string }>;

/**
 * Orders a plan that is renewed by card, and returns the address of the page to pay on. What it costs is computed here and
 * stays so for all its periods; an account's first subscription to a plan with a trial begins with that. The page of an earlier
 * order of the plan is closed: only the newest can be paid. Throws OperationError.
 */
export async function startCardPlan(
  deps: StripeDeps & WalletDeps,
  user: Customer,
  planId: number,
  site: string,
  now = nowSeconds(),
): Promise<string> {
  const { db, settings, log } = deps;
  if (!takesCards(settings)) throw new OperationError("card_top_up_disabled");
  const [plan] = await db.select().from(plans).where(eq(plans.id, planId));
  if (!plan || plan.isRetired || !plan.isVisible) throw new OperationError("plan_not_found");
  const running = and(
    ...[eq(subscriptions.userId, user.id), eq(subscriptions.planId, planId)],
    inArray(subscriptions.status, ["active", "past_due", "paused"]),
  );
  const [present] = await db.select({ id: subscriptions.id }).from(subscriptions).where(running);
  if (present) throw new OperationError("plan_subscribed_already");
  const trialDays = plan.trialDays > 0 && !(await hadPlan(db, user.id, planId)) ? plan.trialDays : 0;
  const [profile] = await db.select().from(billingProfiles).where(eq(billingProfiles.userId, user.id));
  const quote = addTax(settings, quotePlan(settings, user.group, plan), profile ?? { country: "", taxId: "" });
  const tradeNo = `PLAN${user.id}NO${randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const { order, earlier } = await storeOrder(db, {
    ...{ tradeNo, userId: user.id, planId, money: quote.money, currency: quote.currency, createdAt: now, trialDays },
    ...(quote.tax && {
      ...{ tax: quote.tax.amount, taxRate: quote.tax.rate, taxCountry: quote.tax.country },
      reverseChargeTaxId: quote.tax.isReverseCharge ? quote.tax.taxId : "",
    }),
  });
  try {
    const stripe = await stripeClient(deps);
    for (const one of earlier) await closePage(deps, stripe, one, now);
    const customer = await findCustomer(deps, user.id);
    const session = await stripe.checkout.sessions.create(
      {
        mode: "subscription",
        client_reference_id: tradeNo,
        ...(customer && { customer }),
        // Stripe sends it back with every invoice of the subscription.
        subscription_data: {
          metadata: { order: tradeNo },
          ...(trialDays > 0 && { trial_period_days: trialDays }),
        },
        success_url: `${site}/topup?list=plans`,
        cancel_url: `${site}/topup?list=plans`,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: quote.currency.toLowerCase(),
              unit_amount: smallestUnits(quote.money, quote.currency),
              recurring: { interval: plan.period, interval_count: plan.periodCount },
              product_data: { name: `${settings.get("SystemName")} ${plan.name}` },
            },
          },
        ],
      },
      { idempotencyKey: tradeNo },
    );
    if (!session.url) throw new Error("the answer names no page to pay on");
    if (!(await storePage(db, order.id, session.id))) {
      await stripe.checkout.sessions.expire(session.id);
      throw new OperationError("plan_page_replaced");
    }
    return session.url;
  } catch (error) {
    await db.update(planOrders).set({ status: "ended" }).where(eq(planOrders.id, order.id));
    if (error instanceof OperationError) throw error;
    log.warn({ tradeNo, reason: messageOf(error) }, "a plan could not be ordered by card");
    throw new OperationError("payment_request_failed");
  }
}

/** What a period of a plan costs by card: its price at the rate of top-ups, at least the smallest coin. Throws OperationError. */
function quotePlan(settings: SettingsReader, group: string, plan: Plan): TaxedQuote {
  if (plan.price === 0) throw new OperationError("plan_card_free");
  const due = divide(
    multiply(multiply(integer(plan.price), settings.get("StripePrice")), groupFactor(settings, group)),
    integer(settings.get("QuotaPerUnit")),
    2,
  );
  const currency = settings.get("StripeCurrency").toUpperCase();
  const money = hasNoMinorUnit(currency) ? `${roundUp(due)}.00` : toText(due, 2);
  if (smallestUnits(money, currency) <= 0) throw new OperationError("top_up_price_too_low");
  return { quotaUnits: plan.price, money, currency, tax: null };
}

/** Stripe's number of an account, as of its newest order. */
async function findCustomer({ db }: Pick<StripeDeps, "db">, userId: number): Promise<string | null> {
  const [known] = await db
    .select({ customerNo: planOrders.customerNo })
    .from(planOrders)
    .where(and(eq(planOrders.userId, userId), ne(planOrders.customerNo, "")))
    .orderBy(desc(planOrders.id))
    .limit(1);
  return known?.customerNo ?? null;
}

/** The address of Stripe's page where an account changes its card, reads invoices and cancels. Throws OperationError. */
export async function openCardPortal(deps: StripeDeps, userId: number, site: string): Promise<string> {
  const customer = takesCards(deps.settings) ? await findCustomer(deps, userId) : null;
  if (customer === null) throw new OperationError("plan_no_card");
  try {
    const portal = await (await stripeClient(deps)).billingPortal.sessions.create({
      ...{ customer, return_url: `${site}/topup?list=plans` },
    });
    return portal.url;
  } catch (error) {
    deps.log.warn({ userId, reason: messageOf(error) }, "the card portal could not be opened");
    throw new OperationError("payment_request_failed");
  }
}

/** Tells Stripe whether a subscription is to be renewed. Throws OperationError: then nothing has changed. */
export const setCardRenewal = (deps: StripeDeps, orderId: number, isRenewed: boolean): Promise<void> =>
  changeAtStripe(deps, orderId, async (stripe, { subscriptionNo }) => {
    await stripe.subscriptions.update(subscriptionNo, {
      cancel_at_period_end: !isRenewed,
      ...(!isRenewed && { pause_collection: "" }),
    });
  });

/**
 * Tells Stripe whether to collect the next periods' payments (https://docs.stripe.com/billing/subscriptions/pause-payment); the
 * invoices of a pause are voided. Throws OperationError: then nothing has changed.
 */
export const setCardPause = (deps: StripeDeps, orderId: number, isPaused: boolean): Promise<void> =>
  changeAtStripe(deps, orderId, async (stripe, { subscriptionNo }) => {
    await stripe.subscriptions.update(subscriptionNo, { pause_collection: isPaused ? { behavior: "void" } : "" });
  });

/**
 * Ends a pause after the paid period: Stripe begins a period now and charges it at once. `since`: what the pause began with, so
 * that asking again does not charge again. Throws OperationError: then it is still paused.
 */
export const resumeCard = (deps: StripeDeps, orderId: number, since: number): Promise<void> =>
  changeAtStripe(deps, orderId, async (stripe, { subscriptionNo }) => {
    await stripe.subscriptions.update(subscriptionNo, { pause_collection: "" });
    try {
      await stripe.subscriptions.update(
        subscriptionNo,
        { billing_cycle_anchor: { type: "now" }, proration_behavior: "none", payment_behavior: "error_if_incomplete" },
        { idempotencyKey: `resume-${subscriptionNo}-${since}` },
      );
    } catch (error) {
      await stripe.subscriptions.update(subscriptionNo, { pause_collection: { behavior: "void" } });
      throw error;
    }
  });

async function changeAtStripe(
  deps: StripeDeps,
  orderId: number,
  change: (stripe: Stripe, order: typeof planOrders.$inferSelect) => Promise<void>,
): Promise<void> {
  const [order] = await deps.db.select().from(planOrders).where(eq(planOrders.id, orderId));
  if (!order || order.subscriptionNo === "") throw new OperationError("plan_no_card");
  try {
    await change(await stripeClient(deps), order);
  } catch (error) {
    deps.log.warn({ tradeNo: order.tradeNo, reason: messageOf(error) }, "a subscription by card could not be changed");
    throw new OperationError("payment_request_failed");
  }
}
