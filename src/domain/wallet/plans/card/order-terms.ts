import { randomUUID } from "node:crypto";
import { and, eq, inArray, or } from "drizzle-orm";
import { plans, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { divide, integer, multiply, roundUp, toText } from "../../../../lib/values/decimal.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { readSeats, requireSeats } from "../../../accounts/organizations/members/seats.ts";
import { smallestUnits } from "../../payments/currency-units.ts";
import { groupFactor, hasNoMinorUnit, type PayMethod, priceBy } from "../../payments/quote.ts";
import type { TaxedQuote } from "../../payments/tax/tax.ts";
import { type Coupon, findCoupon } from "../coupons.ts";
import { hadPlan } from "../limits/trials.ts";
import type { Plan } from "../plan-account.ts";

/** What somebody orders: a plan, with a coupon and more seats than it has; `coupon`: its code. */
export type PlanInput = Readonly<{ planId: number; coupon?: string | undefined; seats?: number | undefined }>;

/** What is ordered of a plan; `trialDays`: free before the first period. */
export type OrderTerms = Readonly<{ plan: Plan; coupon: Coupon | null; extraSeats: number; trialDays: number }>;

/** Reads what an account orders of a plan that it does not have. Throws OperationError. */
export async function readOrderTerms(
  db: Db,
  userId: number,
  { planId, coupon: code = "", seats }: PlanInput,
  now: number,
): Promise<OrderTerms> {
  const plan = await findOrderable(db, userId, planId);
  const extraSeats = readSeats(plan, seats);
  await requireSeats(db, userId, plan, extraSeats);
  const coupon = code.trim() === "" ? null : await findCoupon(db, code, { userId, planId, now });
  const trialDays = plan.trialDays > 0 && !(await hadPlan(db, userId, planId)) ? plan.trialDays : 0;
  return { plan, coupon, extraSeats, trialDays };
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
