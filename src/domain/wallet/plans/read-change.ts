import { eq } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Db, DbOrTx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { countMembers, extraSeatsAfter, readSeats, seatsOf } from "../../accounts/organizations/members/seats.ts";
import { type Coupon, couponOf, priceWith } from "./coupons.ts";
import { requireNextUnpaid } from "./limits/next-paid.ts";
import type { Drawn } from "./limits/unused.ts";
import { findRunning, hasOrGets, lockPlanAccount, type Plan, type Subscription } from "./plan-account.ts";
import { findPlan } from "./subscribe.ts";

/** Which subscription is to be changed to which plan, or to how many seats of its own. */
export type ChangeInput = Readonly<
  {
    subscriptionId: number;
    /** What the plan had paid when its preview was computed, where that is confirmed. */
    drawn?: Drawn | undefined;
  } & ({ planId: number; seats?: undefined } | { planId?: undefined; seats: number })
>;

/** What a change of a subscription comes to, whoever renews it; amounts in quota units. */
export type PlanChange = Readonly<{
  current: Subscription;
  present: Plan;
  next: Plan;
  /** Seats that are added to the other plan. */
  extraSeats: number;
  /** It begins at once where whoever renews it can do so, else with the next period. */
  isUpgrade: boolean;
  coupon: Coupon | null;
  /** What a period costs then. */
  price: number;
  /** The plan stays, with another number of seats. */
  isOfSeats: boolean;
  /** A change that was to begin with the next period is taken back. */
  isBack: boolean;
}>;

/**
 * Reads what a change comes to, by the rule for all ways to pay: a plan with a higher price begins at once, one with the same or a
 * lower price with the next period, and so do more and fewer seats. The present plan, or number of seats, takes back what was to begin
 * with the next period. Throws OperationError.
 */
export async function readChange(
  db: Db,
  userId: number,
  { subscriptionId, planId, seats }: ChangeInput,
): Promise<PlanChange> {
  await requireNextUnpaid(db, subscriptionId);
  const account = await db.transaction((tx) => lockPlanAccount(tx, userId));
  const { plan: present, subscription: current } = findRunning(account, subscriptionId);
  const coupon = await couponOf(db, current);
  const base = { current, present, coupon };
  if (seats !== undefined) {
    const extraSeats = readSeats(present, seats);
    const isSame = extraSeats === current.extraSeats;
    return {
      ...{ ...base, next: present, extraSeats, isOfSeats: true, isUpgrade: extraSeats > current.extraSeats },
      ...{ isBack: isSame && current.nextExtraSeats !== null && current.nextPlanId === null },
      price: priceWith(present, coupon, extraSeats),
    };
  }
  const isBack = planId === current.planId && current.nextPlanId !== null;
  const next = isBack ? present : await findPlan(db, planId ?? 0);
  if (!next.isVisible && !isBack) throw new OperationError("plan_not_found");
  const others = account.running.filter(({ subscription }) => subscription.id !== subscriptionId);
  if ((next.id === present.id && !isBack) || others.some((other) => hasOrGets(other, next.id)))
    throw new OperationError("plan_subscribed_already");
  // What is left for all models is part of the balance, where calls may be using it.
  if (next.models.length > 0 && !current.ownQuota && !isBack) throw new OperationError("plan_models_narrower");
  const seatsNow = seatsOf(present, current.extraSeats) ?? (await countMembers(db, userId));
  const extraSeats = isBack ? current.extraSeats : extraSeatsAfter(next, seatsNow);
  const isUpgrade = priceWith(next, null, extraSeats) > priceWith(present, null, current.extraSeats);
  return { ...base, next, extraSeats, isUpgrade, isOfSeats: false, isBack, price: priceWith(next, coupon, extraSeats) };
}

/** Whose subscription it is, and which order pays for it at a service. Throws OperationError: it is unknown, or out of the actor's reach. */
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
