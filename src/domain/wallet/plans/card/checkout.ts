import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { type PlanService, planOrders } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import { addAccountTax } from "../../payments/tax/tax.ts";
import { type Coupon, priceWith, reserveCoupon } from "../coupons.ts";
import type { PlanOrder, ServiceDeps, ServiceDriver, ServiceDrivers } from "./driver.ts";
import { moneyValues, type PlanInput, planTradeNo, quotePlan, readOrderTerms } from "./order-terms.ts";

type CheckoutDeps = ServiceDeps & Readonly<{ drivers: ServiceDrivers }>;

/**
 * Orders a plan that a service renews, and returns the address of the page to pay on. What it costs is computed here and stays so for
 * all its periods; an account's first subscription to a plan with a trial begins with that. The page of an earlier order of the plan is
 * closed: only the newest can be paid. Throws OperationError.
 */
export async function startCardPlan(
  deps: CheckoutDeps,
  user: Readonly<{ id: number; group: string }>,
  { service = "stripe", site, ...input }: PlanInput & Readonly<{ service?: PlanService | undefined; site: string }>,
  now = nowSeconds(),
): Promise<string> {
  const { db, settings, log, drivers } = deps;
  const driver = drivers[service];
  if (!driver.isSetUp()) throw new OperationError("card_top_up_disabled");
  const { plan, coupon, extraSeats, trialDays } = await readOrderTerms(db, user.id, input, now);
  const isOnce = coupon?.duration === "once";
  if (isOnce && trialDays > 0) throw new OperationError("coupon_not_with_trial");
  const quoted = (discount: Coupon | null) =>
    addAccountTax(deps, user.id, quotePlan(settings, user.group, priceWith(plan, discount, extraSeats), service));
  const quote = await quoted(isOnce ? null : coupon);
  const first = isOnce ? await quoted(coupon) : quote;
  const tradeNo = planTradeNo(user.id);
  const values = {
    ...{ tradeNo, userId: user.id, planId: plan.id, service, createdAt: now, trialDays, extraSeats },
    ...{ ...moneyValues(quote), couponId: coupon?.id ?? null },
    ...(first.money !== quote.money && { firstMoney: first.money, firstTax: first.tax?.amount ?? "0" }),
  };
  const { order, earlier } = await storeOrder(db, values, coupon);
  try {
    for (const one of earlier) await closePage(deps, drivers[one.service], one, now);
    const page = await driver.openPage(order, plan, site);
    if (!(await storePage(db, order.id, page.sessionNo))) {
      await driver.closePage({ ...order, sessionNo: page.sessionNo }, now);
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

/**
 * Stores an order of a plan, and returns it with the earlier orders of the account and plan whose pages to pay on may be open.
 * An earlier order that has no page yet gets none (`storePage`). Throws OperationError: the coupon cannot be used.
 */
const storeOrder = (
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
async function storePage(db: Db, orderId: number, sessionNo: string): Promise<boolean> {
  const rows = await db
    .update(planOrders)
    .set({ sessionNo })
    .where(and(eq(planOrders.id, orderId), eq(planOrders.status, "pending")))
    .returning({ id: planOrders.id });
  return rows.length > 0;
}

/**
 * Closes the page of an earlier order, so that it can't be paid any more. Throws OperationError when it was paid meanwhile, and what the
 * service's client throws.
 */
async function closePage({ db }: CheckoutDeps, driver: ServiceDriver, order: PlanOrder, now: number): Promise<void> {
  const state = await driver.closePage(order, now);
  if (state === "gone") return;
  if (state !== "closed") {
    await driver.lookUp(order, now);
    const [current] = await db.select().from(planOrders).where(eq(planOrders.id, order.id));
    if (current?.status === "active") throw new OperationError("plan_subscribed_already");
    if (state === "paid" && current?.status === "pending") throw new OperationError("plan_payment_pending");
  }
  const isPending = and(eq(planOrders.id, order.id), eq(planOrders.status, "pending"));
  if (state !== "open") await db.update(planOrders).set({ status: "ended" }).where(isPending);
}
