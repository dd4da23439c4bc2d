import { and, eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import {
  countMembers,
  extraSeatsAfter,
  readSeats,
  requireSeats,
  seatsOf,
} from "../../accounts/organizations/members/seats.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { WalletDeps } from "../operation.ts";
import { type Coupon, couponAfter, couponOf, priceWith } from "./coupons.ts";
import { requireNextUnpaid } from "./limits/next-paid.ts";
import { publishPlanAccount } from "./limits/overage.ts";
import { drawnOf, makeUpFor, surplusOf, unusedFrom } from "./limits/unused.ts";
import { periodEnd } from "./periods.ts";
import {
  applyPlans,
  fillWindow,
  hasOrGets,
  lockPlanAccount,
  logPaid,
  type Plan,
  type PlanAccount,
  type Running,
  type Subscription,
} from "./plan-account.ts";
import { findPlan, type PlanDeps, paying, requireWallet } from "./subscribe.ts";

/** Lets a subscription end with its period, or has it renewed after all; one by card at Stripe first. Throws OperationError. */
export async function setRenewal(
  deps: Pick<WalletDeps, "db"> & Readonly<{ setCardRenewal(orderId: number, isRenewed: boolean): Promise<void> }>,
  userId: number,
  subscriptionId: number,
  isRenewed: boolean,
): Promise<void> {
  const { db, setCardRenewal } = deps;
  const [owned] = await db
    .select({ orderId: subscriptions.orderId })
    .from(subscriptions)
    .where(and(eq(subscriptions.id, subscriptionId), eq(subscriptions.userId, userId)));
  if (owned && owned.orderId !== null) await setCardRenewal(owned.orderId, isRenewed);
  await db.transaction(async (tx) => {
    const { subscription } = findRunning(await lockPlanAccount(tx, userId), subscriptionId);
    if (subscription.status === "ending") throw new OperationError("subscription_not_found");
    await tx
      .update(subscriptions)
      .set({
        cancelAtEnd: !isRenewed,
        ...(!isRenewed && { nextPlanId: null, nextExtraSeats: null, pauseAtEnd: false }),
        // A paused one has no period to wait for.
        ...(!isRenewed && subscription.status === "paused" && { status: "ending", windowEnd: 0 }),
      })
      .where(eq(subscriptions.id, subscriptionId));
  });
}

/**
 * Changes the plan of a subscription: one with a higher price begins at once, and what was unused of the paid period, in time and in
 * quota, counts towards its price, less what the window keeps beyond the other plan's; one with the same or a lower price begins with
 * the next period. Where the other plan sells seats, an organization goes on with as many as it has. Throws OperationError.
 */
export async function switchPlan(
  deps: PlanDeps,
  userId: number,
  subscriptionId: number,
  planId: number,
  now = nowSeconds(),
): Promise<void> {
  const { db } = deps;
  const { current, present, next, extraSeats, isUpgrade, credit, coupon, price } = await readChange(
    db,
    userId,
    subscriptionId,
    planId,
    now,
  );
  // A service renews it since it was looked at.
  if (current.orderId !== null) throw new OperationError("subscription_changed");
  if (!isUpgrade) {
    await db.transaction(async (tx) => {
      const { subscription } = findActive(await lockPlanAccount(tx, userId), subscriptionId);
      if (subscription.extraSeats !== current.extraSeats) throw new OperationError("subscription_changed");
      await requireNextUnpaid(tx, subscriptionId);
      await requireSeats(tx, userId, next, extraSeats);
      const isBack = next.id === present.id;
      await tx
        .update(subscriptions)
        .set({
          ...{ nextPlanId: isBack ? null : next.id, nextExtraSeats: isBack ? null : extraSeats },
          cancelAtEnd: false,
        })
        .where(eq(subscriptions.id, subscriptionId));
    });
    return;
  }
  const due = Math.max(0, price - credit);
  await paying(deps, userId, due, async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    requireWallet(deps, account, due);
    const { subscription, plan } = findActive(account, subscriptionId);
    // What was looked at before the price was taken must still be so.
    if (
      plan.id !== present.id ||
      subscription.periodEnd !== current.periodEnd ||
      subscription.extraSeats !== current.extraSeats ||
      subscription.couponId !== current.couponId
    ) {
      throw new OperationError("subscription_changed");
    }
    await requireNextUnpaid(tx, subscriptionId);
    await requireSeats(tx, userId, next, extraSeats);
    const values = {
      ...{ planId: next.id, nextPlanId: null, cancelAtEnd: false, isTrial: false, paid: price },
      ...{ couponId: couponAfter(next, coupon), extraSeats, nextExtraSeats: null },
      ...{ periodStart: now, periodEnd: periodEnd(now, next.period, next.periodCount) },
    };
    await tx.update(subscriptions).set(values).where(eq(subscriptions.id, subscriptionId));
    if (due > 0) await logPaid(tx, userId, next, extraSeats, due);
    const missing = makeUpFor(subscription, drawnOf(current), now);
    await fillWindow(tx, { plan: next, subscription: { ...subscription, ...values } }, now, missing);
    await applyPlans(tx, account);
  });
  await publishPlanAccount(deps, userId);
}

/** What a change of the plan of a subscription comes to; amounts in quota units. */
export type PlanChange = Readonly<{
  current: Subscription;
  present: Plan;
  next: Plan;
  extraSeats: number;
  /** The other plan begins at once, else with the next period. */
  isUpgrade: boolean;
  /** What is unused of the paid period is worth, the smaller of its time and its quota. */
  credit: number;
  coupon: Coupon | null;
  /** What a period of the other plan costs. */
  price: number;
  /** The plan stays, with another number of seats. */
  isOfSeats: boolean;
  /** A change that was to begin with the next period is taken back. */
  isBack: boolean;
}>;

/**
 * Reads what a change to another plan comes to, by the rule for all ways to pay; to the present plan: that a change which was to
 * begin with the next period is taken back. `seatsInAll`: the plan stays, with so many seats. Throws OperationError.
 */
export async function readChange(
  db: Db,
  userId: number,
  subscriptionId: number,
  planId: number,
  now: number,
  seatsInAll?: number,
): Promise<PlanChange> {
  await requireNextUnpaid(db, subscriptionId);
  const account = await db.transaction((tx) => lockPlanAccount(tx, userId));
  const { plan: present, subscription: current } = findRunning(account, subscriptionId);
  if (seatsInAll !== undefined) return readSeatChange(db, { plan: present, subscription: current }, seatsInAll, now);
  const isBack = planId === current.planId && current.nextPlanId !== null;
  const next = isBack ? present : await findPlan(db, planId);
  if (!next.isVisible && !isBack) throw new OperationError("plan_not_found");
  const others = account.running.filter(({ subscription }) => subscription.id !== subscriptionId);
  if ((next.id === present.id && !isBack) || others.some((other) => hasOrGets(other, next.id))) {
    throw new OperationError("plan_subscribed_already");
  }
  // What is left for all models is part of the balance, where calls may be using it.
  if (next.models.length > 0 && !current.ownQuota && !isBack) throw new OperationError("plan_models_narrower");
  const seats = seatsOf(present, current.extraSeats) ?? (await countMembers(db, userId));
  const extraSeats = isBack ? current.extraSeats : extraSeatsAfter(next, seats);
  const isUpgrade = priceWith(next, null, extraSeats) > priceWith(present, null, current.extraSeats);
  const coupon = await couponOf(db, current);
  const price = priceWith(next, coupon, extraSeats);
  const made = { current, present, next, extraSeats, isUpgrade, coupon, price };
  const surplus = surplusOf(current, present, next, now);
  return { ...made, credit: creditOf(current, unusedFrom(current, now, surplus)), isOfSeats: false, isBack };
}

/** The same for another number of seats of the plan: the number of now takes back one that was to begin with the next period. */
async function readSeatChange(
  db: Db,
  { plan: present, subscription: current }: Running,
  seats: number,
  now: number,
): Promise<PlanChange> {
  const extraSeats = readSeats(present, seats);
  const isBack = extraSeats === current.extraSeats && current.nextExtraSeats !== null && current.nextPlanId === null;
  if (extraSeats === current.extraSeats && !isBack) throw new OperationError("plan_seats_same", { seats });
  const coupon = await couponOf(db, current);
  return {
    ...{ current, present, next: present, extraSeats, coupon, isBack, isOfSeats: true },
    ...{ isUpgrade: extraSeats > current.extraSeats, credit: creditOf(current, unusedFrom(current, now, 0)) },
    price: priceWith(present, coupon, extraSeats),
  };
}

/** What the rest of a period from `now` on is worth of what was `paid` for it, in the same unit, rounded down. */
export function creditOf(
  { paid, periodStart, periodEnd: end }: Pick<Subscription, "paid" | "periodStart" | "periodEnd">,
  now: number,
): number {
  if (now >= end) return 0;
  return Number((BigInt(paid) * BigInt(end - Math.max(now, periodStart))) / BigInt(end - periodStart));
}

/**
 * Ends a subscription at once, by an administrator; what is left of its window is taken back, and a card is not charged any
 * more. Resolves with whose it was when no call is paid by it any more. Throws OperationError.
 */
export async function endNow(
  { db, changes, setCardRenewal }: Parameters<typeof setRenewal>[0] & Pick<PlanDeps, "changes">,
  actor: UserEntry,
  subscriptionId: number,
): Promise<number> {
  const { orderId, userId } = await findInReach(db, actor, subscriptionId);
  if (orderId !== null) await setCardRenewal(orderId, false);
  await db.transaction(async (tx) => {
    const found = await findInReach(tx, actor, subscriptionId);
    findRunning(await lockPlanAccount(tx, found.userId), subscriptionId);
    await tx
      .update(subscriptions)
      .set({ status: "ending", windowEnd: 0, pauseAtEnd: false })
      .where(eq(subscriptions.id, subscriptionId));
    await writeManagementLog(tx, actor, `Ended the subscription #${subscriptionId}`, {
      ...{ note: { code: "subscription_ended", params: { id: subscriptionId } } },
      ...{ action: "delete", target: "subscription", user_id: found.userId },
    });
  });
  // It pays no call any more, also where what is left can be taken back only when calls have ended.
  await publishPlanAccount({ db, changes }, userId);
  return userId;
}

/** Whose subscription it is, and which order pays for it by card. Throws OperationError: it is unknown, or out of the actor's reach. */
export async function findInReach(
  db: DbOrTx,
  actor: UserEntry,
  subscriptionId: number,
): Promise<Readonly<{ userId: number; orderId: number | null }>> {
  const [found] = await db
    .select({
      ...{ userId: subscriptions.userId, orderId: subscriptions.orderId },
      ...{ role: users.role, adminRoleId: users.adminRoleId },
    })
    .from(subscriptions)
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .where(eq(subscriptions.id, subscriptionId));
  if (!found) throw new OperationError("subscription_not_found");
  checkReach(actor, found);
  return found;
}

/** Finds a running subscription of an account. Throws OperationError. */
export function findRunning({ running }: PlanAccount, id: number): Running {
  const found = running.find(({ subscription }) => subscription.id === id);
  if (!found) throw new OperationError("subscription_not_found");
  return found;
}

/** The same for one that is active. Throws OperationError. */
export function findActive(account: PlanAccount, id: number): Running {
  const found = findRunning(account, id);
  if (found.subscription.status !== "active") throw new OperationError("subscription_not_active");
  return found;
}
