import { and, count, desc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { planOrders, planPurchases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import { COUPON_DURATIONS, coupons, couponUses, plans } from "../../../../db/schema/wallet/plans/plans.ts";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Listed, Page } from "../operation.ts";
import { accountsOf, personsBehind } from "./limits/trials.ts";

export type Coupon = typeof coupons.$inferSelect;

/** What an administrator enters. One of `percentOff` and `amountOff` (quota units) is 0. */
export type CouponInput = Readonly<{
  code: string;
  percentOff: number;
  amountOff: number;
  duration: string;
  /** Null: any plan. */
  planId: number | null;
  /** 0: no limit. */
  maxUses: number;
  /** Epoch seconds; 0: no end. */
  validUntil: number;
}>;

/** A coupon as administrators see it. */
export type CouponView = Coupon & { planName: string | null };

const MOST_UNITS = 1_000_000_000_000;
const MOST_USES = 1_000_000_000;
const CODE = /^[A-Z0-9_-]{3,40}$/;

/** Creates a coupon; returns its id. Throws OperationError. */
export async function createCoupon(
  { db }: Readonly<{ db: Db }>,
  actor: UserEntry,
  input: CouponInput,
  now = nowSeconds(),
): Promise<number> {
  const values = readCoupon(input, now);
  return db.transaction(async (tx) => {
    if (values.planId !== null) {
      const [plan] = await tx.select({ id: plans.id }).from(plans).where(eq(plans.id, values.planId));
      if (!plan) throw new OperationError("plan_not_found");
    }
    const [row] = await tx
      .insert(coupons)
      .values({ ...values, createdAt: now })
      .onConflictDoNothing()
      .returning({ id: coupons.id });
    if (!row) throw new OperationError("coupon_code_taken");
    await writeManagementLog(tx, actor, `Created the coupon ${values.code}`, {
      ...{ note: { code: "coupon_created", params: { code: values.code } }, action: "create", target: "plan" },
      after: values,
    });
    return row.id;
  });
}

/** Nobody can use the coupon any more; subscriptions that have it keep it. Throws OperationError. */
export async function retireCoupon({ db }: Readonly<{ db: Db }>, actor: UserEntry, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const [row] = await tx
      .update(coupons)
      .set({ retiredAt: nowSeconds() })
      .where(and(eq(coupons.id, id), isNull(coupons.retiredAt)))
      .returning({ code: coupons.code });
    if (!row) throw new OperationError("coupon_not_found");
    await writeManagementLog(tx, actor, `Retired the coupon ${row.code}`, {
      ...{ note: { code: "coupon_retired", params: { code: row.code } }, action: "delete", target: "plan" },
    });
  });
}

/** Coupons that are not retired, newest first. */
export async function listCoupons(db: Db, { page, pageSize }: Page): Promise<Listed<CouponView>> {
  const where = isNull(coupons.retiredAt);
  const { total } = requireRow(await db.select({ total: count() }).from(coupons).where(where));
  const rows = await db
    .select({ coupon: coupons, planName: plans.name })
    .from(coupons)
    .leftJoin(plans, eq(plans.id, coupons.planId))
    .where(where)
    .orderBy(desc(coupons.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map(({ coupon, planName }) => ({ ...coupon, planName })), total };
}

/** The coupon of a code as a user enters it, for a plan. Throws OperationError: it cannot be used now, or by this account. */
export async function findCoupon(
  db: Db | Tx,
  input: string,
  { userId, planId, now }: Readonly<{ userId: number; planId: number; now: number }>,
): Promise<Coupon> {
  const code = input.trim().toUpperCase();
  const [coupon] = await db
    .select()
    .from(coupons)
    .where(and(eq(coupons.code, code), isNull(coupons.retiredAt)));
  if (!coupon) throw new OperationError("coupon_invalid");
  if (coupon.validUntil > 0 && now >= coupon.validUntil) throw new OperationError("coupon_expired");
  if (coupon.maxUses > 0 && coupon.usedCount >= coupon.maxUses) throw new OperationError("coupon_used_up");
  if (coupon.planId !== null && coupon.planId !== planId) throw new OperationError("coupon_not_for_plan");
  const [use] = await db
    .select({ usedAt: couponUses.usedAt })
    .from(couponUses)
    .where(and(eq(couponUses.couponId, coupon.id), inArray(couponUses.userId, await usersOf(db, userId))));
  if (use) throw new OperationError("coupon_used_by_you");
  return coupon;
}

/** Who uses a coupon by an account: itself, and the people who own it. */
const usersOf = async (db: Db | Tx, userId: number): Promise<number[]> => [
  ...new Set([userId, ...(await personsBehind(db, userId))]),
];

/** Stores a use for all of them, in the order of their ids as others do. Returns whose are new. */
async function storeUses(tx: Tx, couponId: number, userId: number, now: number) {
  const userIds = (await usersOf(tx, userId)).toSorted((a, b) => a - b);
  const stored = await tx
    .insert(couponUses)
    .values(userIds.map((id) => ({ couponId, userId: id, usedAt: now })))
    .onConflictDoNothing()
    .returning({ userId: couponUses.userId });
  return { stored: stored.map((use) => use.userId), areAllNew: stored.length === userIds.length };
}

/**
 * Counts a use, however many come at once. Throws OperationError: its limit is reached, or the account or one of the people who own it
 * used it before.
 */
export async function takeCoupon(tx: Tx, { id }: Coupon, userId: number, now: number): Promise<void> {
  const { areAllNew } = await storeUses(tx, id, userId, now);
  if (!areAllNew) throw new OperationError("coupon_used_by_you");
  // What is reserved is counted with nobody else counting. Uses that others have stored meanwhile lock the coupon's key.
  await tx.select({ id: coupons.id }).from(coupons).where(eq(coupons.id, id)).for("no key update");
  const [counted] = await tx
    .update(coupons)
    .set({ usedCount: sql`${coupons.usedCount} + 1` })
    .where(
      and(
        ...[eq(coupons.id, id), isNull(coupons.retiredAt)],
        or(eq(coupons.maxUses, 0), sql`${coupons.usedCount} + ${reservedUses(id, now)} < ${coupons.maxUses}`),
      ),
    )
    .returning({ id: coupons.id });
  if (!counted) throw new OperationError("coupon_used_up");
}

/** How long an order that nobody has paid keeps its coupon from others. */
const RESERVED_S = 86_400;

/** Uses of a coupon by orders that may still be paid: subscriptions at a service (`o`), and single first periods. */
const reservedUses = (couponId: number, now: number, except = sql`false`) =>
  sql<number>`(select count(*)::int from (
    select o.user_id, o.plan_id from ${planOrders} o
      where o.coupon_id = ${couponId} and o.status = 'pending' and o.replaces_id is null and o.created_at > ${now - RESERVED_S}
    union all
    select distinct t.user_id, b.plan_id from ${planPurchases} b join ${topUpOrders} t on t.id = b.order_id
      where b.coupon_id = ${couponId} and b.status = 'pending' and b.subscription_id is null
        and t.created_time > ${now - RESERVED_S}
  ) o where not (${except}))`;

/**
 * Keeps a use of a coupon for an order that is about to be stored in the same transaction; another order of the account for
 * the plan is replaced by it. Throws OperationError: its limit is reached, or the account uses it for another plan, or another account
 * of the same people does.
 */
export async function reserveCoupon(
  tx: Tx,
  { id }: Coupon,
  { userId, planId, now }: Readonly<{ userId: number; planId: number; now: number }>,
): Promise<void> {
  const own = sql`o.user_id = ${userId} and o.plan_id = ${planId}`;
  const others = sql`not ${isOneOf(sql`o.user_id`, await accountsOf(tx, userId))} or (${own})`;
  const [coupon] = await tx.select().from(coupons).where(eq(coupons.id, id)).for("no key update");
  const [counted] = await tx
    .select({ all: reservedUses(id, now, own), ofOtherPlans: reservedUses(id, now, others) })
    .from(coupons)
    .where(eq(coupons.id, id));
  if (!coupon || !counted || coupon.retiredAt !== null) throw new OperationError("coupon_invalid");
  if (counted.ofOtherPlans > 0) throw new OperationError("coupon_used_by_you");
  if (coupon.maxUses > 0 && coupon.usedCount + counted.all >= coupon.maxUses)
    throw new OperationError("coupon_used_up");
}

/** Counts the use of a coupon by an order that was paid, once. What was promised holds, also when the coupon is used up by now. */
export async function countReservedUse(tx: Tx, couponId: number, userId: number, now: number): Promise<void> {
  const { stored } = await storeUses(tx, couponId, userId, now);
  if (!stored.includes(userId)) return;
  const isBelow = or(eq(coupons.maxUses, 0), lt(coupons.usedCount, coupons.maxUses));
  await tx
    .update(coupons)
    .set({ usedCount: sql`${coupons.usedCount} + 1` })
    .where(and(eq(coupons.id, couponId), isBelow));
}

/** The coupon of a subscription, also one that is retired. */
export async function couponOf(
  db: Db | Tx,
  { couponId }: Readonly<{ couponId: number | null }>,
): Promise<Coupon | null> {
  if (couponId === null) return null;
  const [coupon] = await db.select().from(coupons).where(eq(coupons.id, couponId));
  return coupon ?? null;
}

type Discount = Pick<Coupon, "percentOff" | "amountOff" | "planId">;

/** What a period of a plan costs with the seats that are added and a coupon, in quota units; part of a unit is not taken off. */
export function priceWith(
  plan: Readonly<{ id: number; price: number; seatPrice: number }>,
  coupon: Discount | null,
  extraSeats = 0,
): number {
  const price = plan.price + plan.seatPrice * extraSeats;
  if (!coupon || (coupon.planId !== null && coupon.planId !== plan.id)) return price;
  return Math.max(0, price - coupon.amountOff - percentOf(price, coupon.percentOff));
}

/** Exact also where the product is beyond what a number holds. */
const percentOf = (price: number, percent: number): number => Number((BigInt(price) * BigInt(percent)) / 100n);

/** The coupon that a subscription keeps once a period of the plan is paid. */
export const couponAfter = (plan: Readonly<{ id: number }>, coupon: Coupon | null): number | null =>
  coupon?.duration === "forever" && (coupon.planId === null || coupon.planId === plan.id) ? coupon.id : null;

function readCoupon(input: CouponInput, now: number) {
  const code = input.code.trim().toUpperCase();
  const duration = COUPON_DURATIONS.find((known) => known === input.duration);
  const { percentOff, amountOff, planId, maxUses, validUntil } = input;
  if (!CODE.test(code)) throw new OperationError("coupon_code_invalid");
  if (!duration) throw new OperationError("coupon_duration_invalid");
  const isWorthSomething = percentOff > 0 !== amountOff > 0;
  if (!isWorthSomething || !isInteger(percentOff, 100) || !isInteger(amountOff, MOST_UNITS)) {
    throw new OperationError("coupon_worth_invalid");
  }
  if (!isInteger(maxUses, MOST_USES)) throw new OperationError("coupon_uses_invalid");
  if (!Number.isSafeInteger(validUntil) || (validUntil !== 0 && validUntil <= now)) {
    throw new OperationError("coupon_expiry_invalid");
  }
  return { code, percentOff, amountOff, duration, planId, maxUses, validUntil };
}

const isInteger = (value: number, most: number): boolean => Number.isSafeInteger(value) && value >= 0 && value <= most;
