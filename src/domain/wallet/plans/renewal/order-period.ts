import { and, eq } from "drizzle-orm";
import { planPurchases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { REMINDER_METHODS, type ReminderMethod, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import type { Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { DirectDeps } from "../../payments/direct/service.ts";
import { DIRECT_SERVICES, directMethod, openDirect } from "../../payments/direct/services.ts";
import { acceptsEpay, epayForm } from "../../payments/epay.ts";
import { startOrder } from "../../payments/start-order.ts";
import { addAccountTax, type TaxedQuote } from "../../payments/tax/tax.ts";
import { type PlanInput, quotePlan, readOrderTerms } from "../card/order-terms.ts";
import { priceWith, reserveCoupon } from "../coupons.ts";
import { requireNextUnpaid } from "../limits/next-paid.ts";
import { findRunning, lockPlanAccount } from "../plan-account.ts";
import { type PlanDeps, subscribe } from "../subscribe.ts";
import { readNextPeriod } from "./next-period.ts";

type OrderDeps = PlanDeps & DirectDeps;
type Customer = Readonly<{ id: number; group: string }>;

/**
 * How to pay an order: with fields, a form to post to `url`; else a page to open or, with `isCode`, a code to scan. Without a `url`, by
 * the operator's `instructions`.
 */
export type PeriodPayment = Readonly<{
  tradeNo: string;
  money: string;
  currency: string;
  url: string;
  fields: Readonly<Record<string, string>>;
  isCode: boolean;
  instructions: string;
}>;

/** Ways to pay single periods of plans that are set up. */
export const periodMethods = (settings: SettingsReader): ReminderMethod[] =>
  REMINDER_METHODS.filter((method) => {
    if (method === "manual") return settings.get("ManualPaymentInstructions").trim() !== "";
    if (method === "zfb" || method === "wx") return acceptsEpay(settings);
    return DIRECT_SERVICES[method].isSetUp(settings);
  });

/**
 * Orders the first period of a plan that the subscriber pays period by period. It begins with the payment; what is free, a trial or by a
 * coupon, begins at once: then null. Throws OperationError.
 */
export async function orderPlan(
  deps: OrderDeps,
  user: Customer,
  input: PlanInput & Readonly<{ method: ReminderMethod; site: string }>,
  now = nowSeconds(),
): Promise<PeriodPayment | null> {
  const { db, settings } = deps;
  const { planId, method, site, coupon: code, seats } = input;
  requireMethod(settings, method);
  const { plan, coupon, extraSeats, trialDays } = await readOrderTerms(db, user.id, input, now);
  const price = priceWith(plan, coupon, extraSeats);
  if (price === 0 || trialDays > 0) {
    await subscribe(deps, user.id, planId, now, code, seats, method);
    return null;
  }
  const quote = await addAccountTax(deps, user.id, quotePlan(settings, user.group, price, method));
  const tradeNo = await db.transaction(async (tx) => {
    // Also first of all, as payments lock the account before its coupon.
    await lockPlanAccount(tx, user.id);
    if (coupon) await reserveCoupon(tx, coupon, { userId: user.id, planId, now });
    return store(tx, user.id, { quote, method, planId, couponId: coupon?.id ?? null, extraSeats }, now);
  });
  return open(deps, { tradeNo, quote, method, subject: plan.name, site });
}

/**
 * Orders the period that follows the present one of a subscription, at its price of now: it begins when that one ends, also when it is
 * paid within the days of grace after that; of a paused subscription with the payment. Throws OperationError.
 */
export async function orderNextPeriod(
  deps: OrderDeps,
  user: Customer,
  { subscriptionId, method, site }: Readonly<{ subscriptionId: number; method: ReminderMethod; site: string }>,
  now = nowSeconds(),
): Promise<PeriodPayment> {
  const { db, settings } = deps;
  requireMethod(settings, method);
  const [owned] = await db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(eq(subscriptions.id, subscriptionId), eq(subscriptions.userId, user.id)));
  if (!owned) throw new OperationError("subscription_not_found");
  const { tradeNo, quote, name } = await db.transaction(async (tx) => {
    const { subscription } = findRunning(await lockPlanAccount(tx, user.id), subscriptionId);
    const { status, orderId, cancelAtEnd, periodEnd: periodStart } = subscription;
    if (status === "ending") throw new OperationError("subscription_not_found");
    if (orderId !== null) throw new OperationError("plan_renewed_by_service");
    if (cancelAtEnd) throw new OperationError("plan_renewal_canceled");
    await requireNextUnpaid(tx, subscriptionId);
    const { plan, coupon, extraSeats, price } = await readNextPeriod(tx, { subscription });
    const next = await addAccountTax({ db: tx, settings }, user.id, quotePlan(settings, user.group, price, method));
    const purchase = {
      ...{ quote: next, method, planId: plan.id, couponId: coupon?.id ?? null, extraSeats, subscriptionId },
      periodStart: status === "paused" ? null : periodStart,
    };
    return { tradeNo: await store(tx, user.id, purchase, now), quote: next, name: plan.name };
  });
  return open(deps, { tradeNo, quote, method, subject: name, site });
}

/** Checks that single periods can be paid by this method. Throws OperationError. */
export function requireMethod(settings: SettingsReader, method: ReminderMethod): void {
  if (!periodMethods(settings).includes(method)) throw new OperationError("online_top_up_disabled");
}

type Purchase = Readonly<{
  quote: TaxedQuote;
  method: ReminderMethod;
  planId: number;
  couponId: number | null;
  extraSeats: number;
  subscriptionId?: number;
  periodStart?: number | null;
}>;

/** Stores an order, and returns its number. */
async function store(tx: Tx, userId: number, { quote, method, ...purchase }: Purchase, now: number): Promise<string> {
  const tradeNo = await startOrder(tx, userId, quote, method, now);
  const [order] = await tx.select({ id: topUpOrders.id }).from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo));
  if (!order) throw new Error("the order was not stored");
  await tx.insert(planPurchases).values({ orderId: order.id, ...purchase });
  return tradeNo;
}

async function open(
  deps: OrderDeps,
  order: Readonly<{ tradeNo: string; quote: TaxedQuote; method: ReminderMethod; subject: string; site: string }>,
): Promise<PeriodPayment> {
  const { tradeNo, quote, method, site } = order;
  const { money, currency } = quote;
  const payment = { tradeNo, money, currency, url: "", fields: {}, isCode: false, instructions: "" };
  const subject = order.subject.slice(0, 60);
  if (method === "manual") return { ...payment, instructions: deps.settings.get("ManualPaymentInstructions").trim() };
  const direct = directMethod(method);
  if (direct) {
    const { url, isCode } = await openDirect(deps, direct, { tradeNo, money, currency, subject, site });
    return { ...payment, url, isCode };
  }
  if (method !== "zfb" && method !== "wx") throw new Error(`no page to pay by ${method}`);
  const page = "/topup?list=plans";
  return { ...payment, ...epayForm(deps.settings, { tradeNo, method, money, subject, site, page }) };
}
