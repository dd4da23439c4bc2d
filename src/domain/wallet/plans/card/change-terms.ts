import { and, eq } from "drizzle-orm";
import { planOrders, planPayments } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { requireSeats } from "../../../accounts/organizations/members/seats.ts";
import type { WalletDeps } from "../../operation.ts";
import { moneyOf, smallestUnits } from "../../payments/currency-units.ts";
import { shareOf } from "../../payments/refund-parts.ts";
import { addAccountTax, type TaxedQuote } from "../../payments/tax/tax.ts";
import { type Coupon, couponOf, priceWith } from "../coupons.ts";
import { creditOf, type Drawn, drawnOf } from "../limits/unused.ts";
import { findActive, lockPlanAccount } from "../plan-account.ts";
import type { PlanChange } from "../read-change.ts";
import type { PlanOrder } from "./driver.ts";
import { findOrderable, moneyValues, planTradeNo, quotePlan } from "./order-terms.ts";

/** What a change of a plan comes to that a service renews. */
export type CardTerms = Readonly<{
  change: PlanChange;
  /** The order whose payments renew the subscription now. */
  order: PlanOrder;
  /** What a period of the other plan costs there. */
  quote: TaxedQuote;
  coupon: Coupon | null;
  /** What the windows had paid when what is unused was looked at. */
  drawn: Drawn;
}>;

/** Reads what a change comes to for an order that a service renews, at the prices of today. Throws OperationError. */
export async function readCardTerms(
  { db, settings }: Pick<WalletDeps, "db" | "settings">,
  user: Readonly<{ id: number; group: string }>,
  { change, order, drawn }: Readonly<{ change: PlanChange; order: PlanOrder; drawn: Drawn | undefined }>,
  now: number,
): Promise<CardTerms> {
  const { current, next, extraSeats, isBack, isOfSeats } = change;
  if (isOfSeats && !isBack && extraSeats === current.extraSeats)
    throw new OperationError("plan_seats_same", { seats: (next.seats ?? 0) + extraSeats });
  if (current.status !== "active" || now >= current.periodEnd) throw new OperationError("plan_change_unpaid");
  // A plan that follows with a subscription of its own can still be given up.
  if ((current.cancelAtEnd && !isBack) || current.pauseAtEnd) throw new OperationError("plan_change_not_renewed");
  if (!isBack) {
    if (current.nextPlanId !== null || current.nextExtraSeats !== null) throw new OperationError("plan_change_noted");
    if (!isOfSeats) await findOrderable(db, user.id, next.id);
    await requireSeats(db, user.id, next, extraSeats);
  }
  const own = await couponOf(db, order);
  const coupon = own?.duration === "forever" ? own : null;
  const price = priceWith(next, coupon, extraSeats);
  const quote = await addAccountTax({ db, settings }, user.id, quotePlan(settings, user.group, price, order.service));
  if (quote.currency !== order.currency) throw new OperationError("plan_change_currency");
  return { change, order, quote, coupon, drawn: drawn ?? drawnOf(current) };
}

/** What the paid period is worth from `at` on, in the currency's smallest coin, rounded down. */
export async function cardCredit(db: Db, { change: { current }, order }: CardTerms, at: number): Promise<number> {
  if (current.isTrial) return 0;
  const [payment] = await db
    .select({ isDiscounted: planPayments.isDiscounted })
    .from(planPayments)
    .where(and(eq(planPayments.orderId, order.id), eq(planPayments.periodStart, current.periodStart)));
  // The first payment of a change was lowered by what was unused: its period is worth all of the price.
  const isLowered = payment?.isDiscounted === true && order.replacesId === null;
  const money = isLowered ? (order.firstMoney ?? order.money) : order.money;
  return creditOf({ ...current, paid: smallestUnits(money, order.currency) }, at);
}

/**
 * Stores the order of a change before the service is asked for it. `due`: what is paid for the first period, in the currency's smallest
 * coin, with what the windows had paid when its unused part was credited; null: it begins with the next period. `isOwn`: with a
 * subscription of its own at the service. Throws OperationError: the subscription has changed meanwhile, or is being changed.
 */
export const storeChange = (
  db: Db,
  { change: { current, next, extraSeats }, order, quote, coupon, drawn }: CardTerms,
  { due, now, isOwn = false }: Readonly<{ due: number | null; now: number; isOwn?: boolean }>,
): Promise<PlanOrder> =>
  db.transaction(async (tx) => {
    const { userId } = current;
    const { subscription } = findActive(await lockPlanAccount(tx, userId), current.id);
    const isSame = (
      ["orderId", "planId", "nextPlanId", "periodEnd", "extraSeats", "cancelAtEnd", "pauseAtEnd"] as const
    ).every((key) => subscription[key] === current[key]);
    if (!isSame) throw new OperationError("subscription_changed");
    const { service, currency, subscriptionNo, customerNo, sessionNo, trialDays } = order;
    const price = smallestUnits(quote.money, currency);
    const tax = quote.tax ? smallestUnits(quote.tax.amount, currency) : 0;
    const [stored] = await tx
      .insert(planOrders)
      .values({
        ...moneyValues(quote),
        ...{ tradeNo: planTradeNo(userId), userId, service, planId: next.id, extraSeats, createdAt: now, customerNo },
        ...{ subscriptionNo: isOwn ? "" : subscriptionNo, replacesId: order.id, couponId: coupon?.id ?? null },
        // PayPal's periods are counted from the end of the trial.
        ...(service === "paypal" && !isOwn && { sessionNo, trialDays }),
        ...(due !== null && {
          firstMoney: textOf(due, currency),
          firstTax: textOf(shareOf(tax, due, price), currency),
          ...(!current.isTrial && { creditedDrawn: drawn.units, creditedCalls: drawn.calls }),
        }),
      })
      .onConflictDoNothing()
      .returning();
    if (!stored) throw new OperationError("plan_payment_pending");
    return stored;
  });

/** The amount as decimal text with two decimals. */
export const textOf = (units: number, currency: string): string => Number(moneyOf(units, currency)).toFixed(2);
