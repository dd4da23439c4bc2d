import { and, asc, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { planAccounts, plans, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { seatsOf } from "../../accounts/organizations/members/seats.ts";
import { LOG_TYPE, type LogNote, writeLog } from "../../logs/write-log.ts";
import { addQuota } from "../balances.ts";
import { isRunning, type NewPeriod, type SubscriptionEvents, transition } from "./lifecycle.ts";
import { limitOverage } from "./limits/overage.ts";
import { type Drawn, isOpenRolling } from "./limits/unused.ts";
import { periodEnd, windowAt } from "./periods.ts";

export type Plan = typeof plans.$inferSelect;
export type Subscription = typeof subscriptions.$inferSelect;
export type Running = Readonly<{ subscription: Subscription; plan: Plan }>;

/** An account with its running subscriptions; its row and theirs are locked until the transaction ends. */
export type PlanAccount = Readonly<{
  userId: number;
  group: string;
  /** Balance in quota units, what is left of windows included. */
  balanceUnits: number;
  /** Balance without what is left of windows, in quota units: what can pay for a plan. */
  walletUnits: number;
  running: readonly Running[];
}>;

/** Whether a subscription is to a plan, or changes to it with its next period. */
export const hasOrGets = ({ plan, subscription: { status, nextPlanId } }: Running, planId: number): boolean =>
  status !== "ending" && (plan.id === planId || nextPlanId === planId);

/** Whether an account has a plan that runs: one that was paused may have been subscribed to again meanwhile. */
export const hasPlan = ({ running }: PlanAccount, planId: number): boolean =>
  running.some(({ plan, subscription }) => plan.id === planId && isRunning(subscription));

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

/**
 * Windows that begin with their first charge pay first, then the one that ends first. Opening one must not change the order, in
 * which charges that are not distributed yet are already on receipts (`planDraws`).
 */
const drawOrder = sql`case when ${subscriptions.rollingSeconds} > 0 then 0 else ${subscriptions.windowEnd} end`;

/**
 * Locks an account and distributes what its calls were charged since the last time over the windows of its subscriptions: the
 * windows pay in their order (`drawOrder`), and only then the wallet. Throws OperationError.
 */
export async function lockPlanAccount(tx: Tx, userId: number): Promise<PlanAccount> {
  const [user] = await tx
    .select({ quota: users.quota, usedQuota: users.usedQuota, group: users.group })
    .from(users)
    .where(eq(users.id, userId))
    .for("update");
  if (!user) throw new OperationError("user_not_found");
  const [account] = await tx.select().from(planAccounts).where(eq(planAccounts.userId, userId));
  const rows = await tx
    .select({ subscription: subscriptions, plan: plans })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(and(eq(subscriptions.userId, userId), ne(subscriptions.status, "ended")))
    .orderBy(drawOrder, asc(subscriptions.id))
    .for("update", { of: subscriptions });
  // Refunds lower both (`returnDraws`).
  let drawn = Math.max(0, user.usedQuota - (account?.distributed ?? user.usedQuota));
  const running: Running[] = [];
  for (const { subscription, plan } of rows) {
    const taken = subscription.ownQuota ? 0 : Math.min(drawn, subscription.remaining);
    drawn -= taken;
    const values = { remaining: subscription.remaining - taken, drawn: subscription.drawn + taken };
    running.push({ plan, subscription: { ...subscription, ...values } });
    if (taken > 0) await tx.update(subscriptions).set(values).where(eq(subscriptions.id, subscription.id));
  }
  await tx
    .insert(planAccounts)
    .values({ userId, distributed: user.usedQuota })
    .onConflictDoUpdate({ target: planAccounts.userId, set: { distributed: user.usedQuota } });
  const inWindows = running.reduce((sum, { subscription: s }) => sum + (s.ownQuota ? 0 : s.remaining), 0);
  return { userId, group: user.group, balanceUnits: user.quota, walletUnits: user.quota - inWindows, running };
}

/**
 * Begins the window of `now` and fills it up to the plan's calls and quota: quota as part of the balance, or for the plan's models
 * alone. After a change within a paid period `missing` says what is not filled up (`makeUpFor`), and an open window of five hours goes
 * on. Returns the subscription as it is then.
 */
export async function fillWindow(
  tx: Tx,
  { subscription, plan }: Running,
  now: number,
  missing: Drawn | null = null,
): Promise<Subscription> {
  const { id, userId, remaining, drawn } = subscription;
  const { units = 0, calls = 0 } = missing ?? {};
  const goesOn = missing !== null && plan.window === "5h" && isOpenRolling(subscription, now);
  const window = goesOn
    ? { windowEnd: Math.min(subscription.windowEnd, subscription.periodEnd) }
    : windowAt(plan.window, now, subscription);
  // A smaller plan that follows a larger one does not take away what is left.
  const filled = Math.max(remaining, plan.windowQuota - units);
  // What is left for all models stays so.
  const ownQuota = plan.models.length > 0 && (subscription.ownQuota || remaining === 0);
  const callsLeft = Math.max(subscription.callsLeft, plan.windowCalls - calls);
  const values = {
    ...{ ...window, remaining: filled, drawnBefore: drawn - units, ownQuota },
    ...{ windowCalls: Math.max(callsLeft, plan.windowCalls), callsLeft },
  };
  await tx.update(subscriptions).set(values).where(eq(subscriptions.id, id));
  const inBalance = ownQuota ? 0 : filled - (subscription.ownQuota ? 0 : remaining);
  if (inBalance > 0) await addQuota(tx, userId, inBalance);
  if (filled > remaining) await logPlan(tx, userId, "plan_quota_granted", plan, filled - remaining);
  return { ...subscription, ...values };
}

/** Lets an event come to a subscription (`lifecycle.ts`), and returns the subscription as it is then. Throws OperationError. */
export async function applyEvent<Type extends keyof SubscriptionEvents>(
  tx: Tx,
  subscription: Subscription,
  type: Type,
  input: SubscriptionEvents[Type],
): Promise<Subscription> {
  const values = transition(subscription, type, input);
  if (Object.keys(values).length > 0)
    await tx.update(subscriptions).set(values).where(eq(subscriptions.id, subscription.id));
  return { ...subscription, ...values };
}

/** A paid period of a plan that begins at `start`. `paid`: quota units. */
export const newPeriod = (
  plan: Plan,
  { start, ...terms }: Readonly<{ start: number; paid: number; couponId: number | null; extraSeats: number }>,
): NewPeriod => ({
  ...{ ...terms, planId: plan.id, isTrial: false, orderId: null },
  ...{ periodStart: start, periodEnd: periodEnd(start, plan.period, plan.periodCount) },
});

/** Begins the next period of a subscription, with its first window. Throws OperationError. */
export async function startPeriod(
  tx: Tx,
  account: PlanAccount,
  { subscription, plan }: Running,
  period: NewPeriod,
  now: number,
): Promise<void> {
  await fillWindow(tx, { plan, subscription: await applyEvent(tx, subscription, "renew", period) }, now);
  await applyPlans(tx, account);
}

const CONTENT = {
  plan_quota_granted: "Quota of the plan",
  plan_quota_expired: "Unused quota of the plan taken back",
  plan_paid: "Paid for the plan",
  plan_payment_returned: "Payment returned for the plan",
} as const;

/** Writes what a plan did to the balance; the ledger's checks add these rows up. */
export const logPlan = (tx: Tx, userId: number, code: keyof typeof CONTENT, plan: Plan, units: number): Promise<void> =>
  writePlanLog(tx, userId, units, `${CONTENT[code]} ${plan.name}`, { code, params: { name: plan.name } });

/** Writes that a period of a plan with a number of seats was paid (`paid`), or seats were added to it; `units` are below 0. */
export function logSeats(tx: Tx, userId: number, kind: "paid" | "added", plan: Plan, seats: number, units: number) {
  const params = { name: plan.name, seats };
  const [content, code] =
    kind === "paid"
      ? [`Paid for the plan ${plan.name}, ${seats} seats`, "plan_paid_seats" as const]
      : [`Paid for added seats of the plan ${plan.name}, ${seats} seats`, "plan_seats_added" as const];
  return writePlanLog(tx, userId, units, content, { code, params });
}

/** Writes that a period of a plan was paid with so many quota units. */
export function logPaid(tx: Tx, userId: number, plan: Plan, extraSeats: number, units: number): Promise<void> {
  const seats = seatsOf(plan, extraSeats);
  return seats === null || extraSeats === 0
    ? logPlan(tx, userId, "plan_paid", plan, -units)
    : logSeats(tx, userId, "paid", plan, seats, -units);
}

const writePlanLog = (tx: Tx, userId: number, units: number, content: string, note: LogNote): Promise<void> =>
  writeLog(tx, {
    ...{ type: LOG_TYPE.management, userId, content, note, quota: Math.abs(units) },
    other: { user_id: userId, quota_delta: units, target: "subscription", action: "update" },
  });

/**
 * Applies what running plans say of the account: limits its calls to their windows where they allow no overage, and puts it
 * into the group of the plan with the highest price, or back into its own when none sets one.
 */
export async function applyPlans(tx: Tx, { userId, group }: Pick<PlanAccount, "userId" | "group">): Promise<void> {
  await limitOverage(tx, userId);
  const [highest] = await tx
    .select({ group: plans.userGroup })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .where(
      and(
        eq(subscriptions.userId, userId),
        inArray(subscriptions.status, ["active", "past_due"]),
        ne(plans.userGroup, ""),
      ),
    )
    .orderBy(desc(plans.price), asc(subscriptions.id))
    .limit(1);
  const [account] = await tx.select().from(planAccounts).where(eq(planAccounts.userId, userId));
  const set = (next: string, planGroup: string | null, ownGroup: string | null) =>
    Promise.all([
      tx.update(users).set({ group: next }).where(eq(users.id, userId)),
      tx.update(planAccounts).set({ planGroup, ownGroup }).where(eq(planAccounts.userId, userId)),
    ]);
  if (highest) {
    // What is no plan's is the account's own: also the group that an administrator has put it into meanwhile.
    const own = account?.planGroup === group ? account.ownGroup : group;
    if (group !== highest.group) await set(highest.group, highest.group, own);
  } else if (account?.planGroup) {
    // An administrator may have put the account into another group meanwhile: it stays there.
    await set(group === account.planGroup ? (account.ownGroup ?? group) : group, null, null);
  }
}
