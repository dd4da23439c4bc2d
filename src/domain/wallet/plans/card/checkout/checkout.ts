import { randomUUID } from "node:crypto";
import { and, desc, eq, inArray, ne, or } from "drizzle-orm";
import { type PlanService, planOrders } from "../../../../../../db/schema/wallet/plans/plan-orders.ts";
import { plans, subscriptions } from "../../../../../../db/schema/wallet/plans/plans.ts";
import { billingProfiles } from "../../../../../../db/schema/wallet/statements.ts";
import type { Db } from "../../../../../../db/types.ts";
import { nowSeconds } from "../../../../../lib/clock.ts";
import { OperationError } from "../../../../../lib/operation-error.ts";
import { messageOf } from "../../../../../lib/runtime/error-message.ts";
import { divide, integer, multiply, roundUp, toText } from "../../../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../../../settings/settings.ts";
import { readSeats, requireSeats } from "../../../../accounts/organizations/members/seats.ts";
import type { WalletDeps } from "../../../operation.ts";
import { smallestUnits } from "../../../payments/currency-units.ts";
import { takesPaypal } from "../../../payments/direct/paypal/client.ts";
import { groupFactor, hasNoMinorUnit, type PayMethod, priceBy } from "../../../payments/quote.ts";
import { type StripeDeps, stripeClient, takesCards } from "../../../payments/stripe.ts";
import { addTax, type TaxedQuote } from "../../../payments/tax/tax.ts";
import { findCoupon, priceWith } from "../../coupons.ts";
import { hadPlan } from "../../limits/trials.ts";
import type { Plan } from "../../plan-account.ts";
import { openPaypalPage } from "../paypal/subscription.ts";
import { closePage, storeOrder, storePage } from "./one-page.ts";

type Customer = Readonly<{ id: number; group: string }>;

/**
 * Orders a plan that is renewed by card or PayPal, and returns the address of the page to pay on. What it costs is computed here and
 * stays so for all its periods; an account's first subscription to a plan with a trial begins with that. The page of an earlier
 * order of the plan is closed: only the newest can be paid. Throws OperationError.
 */
export async function startCardPlan(
  deps: StripeDeps & WalletDeps,
  user: Customer,
  planId: number,
  site: string,
  now = nowSeconds(),
  {
    service = "stripe",
    coupon: code = "",
    seats,
  }: Readonly<{ service?: PlanService; coupon?: string; seats?: number | undefined }> = {},
): Promise<string> {
  const { db, settings, log } = deps;
  if (!(service === "paypal" ? takesPaypal(settings) : takesCards(settings)))
    throw new OperationError("card_top_up_disabled");
  const plan = await findOrderable(db, user.id, planId);
  const extraSeats = readSeats(plan, seats);
  await requireSeats(db, user.id, plan, extraSeats);
  const trialDays = plan.trialDays > 0 && !(await hadPlan(db, user.id, planId)) ? plan.trialDays : 0;
  const [profile] = await db.select().from(billingProfiles).where(eq(billingProfiles.userId, user.id));
  const coupon = code.trim() === "" ? null : await findCoupon(db, code, { userId: user.id, planId, now });
  if (coupon?.duration === "once" && trialDays > 0) throw new OperationError("coupon_not_with_trial");
  const quoted = (price: number) =>
    addTax(settings, quotePlan(settings, user.group, price, service), profile ?? { country: "", taxId: "" });
  const quote = quoted(priceWith(plan, coupon?.duration === "forever" ? coupon : null, extraSeats));
  const first = coupon?.duration === "once" ? quoted(priceWith(plan, coupon, extraSeats)) : quote;
  const tradeNo = planTradeNo(user.id);
  const values = {
    ...{
      tradeNo,
      userId: user.id,
      planId,
      service,
      ...moneyValues(quote),
      createdAt: now,
      trialDays,
      extraSeats,
    },
    ...(coupon && { couponId: coupon.id }),
    ...(first.money !== quote.money && { firstMoney: first.money, firstTax: first.tax?.amount ?? "0" }),
  };
  const { order, earlier } = await storeOrder(db, values, coupon);
  try {
    for (const one of earlier) await closePage(deps, one, now);
    const page =
      service === "paypal"
        ? await openPaypalPage(deps, { order, plan, site })
        : await openStripePage(deps, { order, plan, site });
    if (!(await storePage(db, order.id, page.sessionNo))) {
      if (service === "stripe") await (await stripeClient(deps)).checkout.sessions.expire(page.sessionNo);
      throw new OperationError("plan_page_replaced");
    }
    return page.url;
  } catch (error) {
    await db.update(planOrders).set({ status: "ended" }).where(eq(planOrders.id, order.id));
    if (error instanceof OperationError) throw error;
    log.warn({ tradeNo, service, reason: messageOf(error) }, "a plan could not be ordered");
    throw new OperationError("payment_request_failed");
  }
}

/** A new number of an order for a plan. */
export const planTradeNo = (userId: number): string =>
  `PLAN${userId}NO${randomUUID().replaceAll("-", "").slice(0, 16)}`;

/** What an order stores of its price. */
export const moneyValues = ({ money, currency, tax }: TaxedQuote) => ({
  ...{ money, currency },
  ...(tax && {
    ...{ tax: tax.amount, taxRate: tax.rate, taxCountry: tax.country },
    reverseChargeTaxId: tax.isReverseCharge ? tax.taxId : "",
  }),
});

/** A plan that is offered and that the account neither has nor gets with a next period. Throws OperationError. */
export async function findOrderable(db: Db, userId: number, planId: number): Promise<Plan> {
  const [plan] = await db.select().from(plans).where(eq(plans.id, planId));
  if (!plan || plan.isRetired || !plan.isVisible) throw new OperationError("plan_not_found");
  const running = and(
    ...[eq(subscriptions.userId, userId), inArray(subscriptions.status, ["active", "past_due", "paused"])],
    or(eq(subscriptions.planId, planId), eq(subscriptions.nextPlanId, planId)),
  );
  const [present] = await db.select({ id: subscriptions.id }).from(subscriptions).where(running);
  if (present) throw new OperationError("plan_subscribed_already");
  return plan;
}

type Page = Readonly<{ sessionNo: string; url: string }>;

/** Opens a page of Stripe to pay an order on. Throws what Stripe's client throws. */
async function openStripePage(
  deps: StripeDeps,
  { order, plan, site }: Readonly<{ order: typeof planOrders.$inferSelect; plan: Plan; site: string }>,
): Promise<Page> {
  const { tradeNo, trialDays, currency, money, firstMoney } = order;
  const customer = await findCustomer(deps, order.userId);
  const stripe = await stripeClient(deps);
  const unitAmount = smallestUnits(money, currency);
  // Stripe takes it off the first invoice (https://docs.stripe.com/billing/subscriptions/coupons).
  const discount =
    firstMoney === null
      ? null
      : await stripe.coupons.create(
          {
            ...{ duration: "once", max_redemptions: 1, currency: currency.toLowerCase() },
            amount_off: unitAmount - smallestUnits(firstMoney, currency),
          },
          { idempotencyKey: `${tradeNo}C` },
        );
  const session = await stripe.checkout.sessions.create(
    {
      mode: "subscription",
      client_reference_id: tradeNo,
      ...(customer && { customer }),
      ...(discount && { discounts: [{ coupon: discount.id }] }),
      // Stripe sends it back with every invoice of the subscription.
      subscription_data: { metadata: { order: tradeNo }, ...(trialDays > 0 && { trial_period_days: trialDays }) },
      success_url: `${site}/topup?list=plans`,
      cancel_url: `${site}/topup?list=plans`,
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: unitAmount,
            recurring: { interval: plan.period, interval_count: plan.periodCount },
            product_data: { name: `${deps.settings.get("SystemName")} ${plan.name}` },
          },
        },
      ],
    },
    { idempotencyKey: tradeNo },
  );
  if (!session.url) throw new Error("the answer names no page to pay on");
  return { sessionNo: session.id, url: session.url };
}

/**
 * What a period costs by a way to pay: its price (quota units) at the rate of top-ups, at least the smallest coin. Throws
 * OperationError.
 */
export function quotePlan(settings: SettingsReader, group: string, price: number, method: PayMethod): TaxedQuote {
  if (price === 0) throw new OperationError("plan_card_free");
  const { option, currency } = priceBy(settings, method);
  const due = divide(
    multiply(multiply(integer(price), settings.get(option)), groupFactor(settings, group)),
    integer(settings.get("QuotaPerUnit")),
    2,
  );
  const money = hasNoMinorUnit(currency) ? `${roundUp(due)}.00` : toText(due, 2);
  if (smallestUnits(money, currency) <= 0) throw new OperationError("top_up_price_too_low");
  return { quotaUnits: price, money, currency, tax: null };
}

/** Stripe's number of an account, as of its newest order. */
export async function findCustomer({ db }: Pick<StripeDeps, "db">, userId: number): Promise<string | null> {
  const [known] = await db
    .select({ customerNo: planOrders.customerNo })
    .from(planOrders)
    .where(and(eq(planOrders.userId, userId), ne(planOrders.customerNo, "")))
    .orderBy(desc(planOrders.id))
    .limit(1);
  return known?.customerNo ?? null;
}
