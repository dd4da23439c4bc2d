import { and, eq, isNull } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import { plans, type ReminderMethod, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import type { Billing } from "../../../billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../../billing/ledger/errors.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { checkReach } from "../../accounts/access/check-reach.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { readSeats, requireSeats } from "../../accounts/organizations/members/seats.ts";
import { refuseOwnOrganization } from "../../accounts/users/own-organization.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { amountText } from "../amount-text.ts";
import type { WalletDeps } from "../operation.ts";
import { couponAfter, findCoupon, priceWith, takeCoupon } from "./coupons.ts";
import { publishPlanAccount } from "./limits/overage.ts";
import { hadPlan, noteHolders } from "./limits/trials.ts";
import { periodEnd } from "./periods.ts";
import {
  applyPlans,
  fillWindow,
  hasOrGets,
  lockPlanAccount,
  logPaid,
  type Plan,
  type PlanAccount,
} from "./plan-account.ts";

export type PlanDeps = WalletDeps & Readonly<{ billing: Pick<Billing, "transfer"> }>;

const DAY_S = 86_400;

/**
 * Subscribes an account to a plan that is offered: its price is taken from the wallet, not from what is left of other plans;
 * the first subscription of a person, or of their organizations, to a plan with a trial begins with that. A coupon lowers the price of what is paid first, or
 * of all periods. `seats`: how many an organization has in all, where it adds some to the plan's; `payMethod`: how later periods
 * are paid, if not from the wallet. Throws OperationError.
 */
export async function subscribe(
  deps: PlanDeps,
  userId: number,
  planId: number,
  now = nowSeconds(),
  couponCode = "",
  seats?: number,
  payMethod: ReminderMethod | null = null,
): Promise<void> {
  const plan = await offeredPlan(deps.db, planId);
  const extraSeats = readSeats(plan, seats);
  const coupon = couponCode.trim() === "" ? null : await findCoupon(deps.db, couponCode, { userId, planId, now });
  const isTrial = plan.trialDays > 0 && !(await hadPlan(deps.db, userId, planId));
  const price = isTrial ? 0 : priceWith(plan, coupon, extraSeats);
  await paying(deps, userId, price, async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    requireWallet(deps, account, price);
    if (account.running.some((running) => hasOrGets(running, planId))) {
      throw new OperationError("plan_subscribed_already");
    }
    if (isTrial && (await hadPlan(tx, userId, planId))) throw new OperationError("plan_subscribed_already");
    if (coupon) await takeCoupon(tx, coupon, userId, now);
    await begin(tx, account, plan, now, {
      ...{ trialEnd: isTrial ? now + plan.trialDays * DAY_S : null, paid: price },
      ...{ couponId: isTrial ? (coupon?.id ?? null) : couponAfter(plan, coupon), extraSeats, payMethod },
    });
  });
  await publishPlanAccount(deps, userId);
}

/** Gives an account a plan for one period without a price; it ends with that period. Throws OperationError. */
export async function grantPlan(
  { db, changes }: WalletDeps,
  actor: UserEntry,
  userId: number,
  planId: number,
  now = nowSeconds(),
): Promise<void> {
  const plan = await findPlan(db, planId);
  await db.transaction(async (tx) => {
    const account = await lockPlanAccount(tx, userId);
    const [user] = await tx
      .select({ username: users.username, role: users.role, adminRoleId: users.adminRoleId })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.deletedAt)));
    if (!user) throw new OperationError("user_not_found");
    checkReach(actor, user);
    await refuseOwnOrganization(tx, actor, userId);
    await begin(tx, account, plan, now, { paid: 0, cancelAtEnd: true });
    await writeManagementLog(tx, actor, `Granted the plan ${plan.name} to ${user.username} (#${userId})`, {
      ...{ note: { code: "plan_granted", params: { plan: plan.name, name: user.username, id: userId } } },
      ...{ action: "create", target: "subscription", user_id: userId },
    });
  });
  await publishPlanAccount({ db, changes }, userId);
}

/**
 * Gives an account a plan for one period, in the transaction that uses up what it was given for. Whoever calls this publishes
 * the account with `publishPlanAccount`. Throws OperationError: the plan is not sold any more, or the account has it.
 */
export async function beginGift(tx: Tx, userId: number, planId: number, now = nowSeconds()): Promise<Plan> {
  const plan = await findPlan(tx, planId);
  const account = await lockPlanAccount(tx, userId);
  if (account.running.some((running) => hasOrGets(running, planId))) {
    throw new OperationError("plan_subscribed_already");
  }
  await begin(tx, account, plan, now, { paid: 0, cancelAtEnd: true });
  return plan;
}

type Terms = Readonly<{
  trialEnd?: number | null;
  paid: number;
  couponId?: number | null;
  cancelAtEnd?: boolean;
  extraSeats?: number;
  payMethod?: ReminderMethod | null;
}>;

/**
 * Begins a subscription with its first window, and returns its id. Throws OperationError: the members of an organization do not fit
 * into it.
 */
export async function begin(
  tx: Tx,
  account: PlanAccount,
  plan: Plan,
  now: number,
  { trialEnd = null, paid, couponId = null, cancelAtEnd = false, extraSeats = 0, payMethod = null }: Terms,
): Promise<number> {
  const { userId } = account;
  await requireSeats(tx, userId, plan, extraSeats);
  const isFirst = await noteHolders(tx, userId, plan.id);
  if (trialEnd !== null && !isFirst) throw new OperationError("plan_subscribed_already");
  const end = trialEnd ?? periodEnd(now, plan.period, plan.periodCount);
  const [subscription] = await tx
    .insert(subscriptions)
    .values({
      ...{ userId, planId: plan.id, status: "active", isTrial: trialEnd !== null, paid, startedAt: now },
      ...{
        periodStart: now,
        periodEnd: end,
        windowStart: now,
        windowEnd: now,
        remaining: 0,
        couponId,
        cancelAtEnd,
        extraSeats,
        payMethod,
      },
    })
    .returning();
  if (!subscription) throw new Error("the subscription was not stored");
  if (paid > 0) await logPaid(tx, userId, plan, extraSeats, paid);
  await fillWindow(tx, { subscription, plan }, now);
  await applyPlans(tx, account);
  return subscription.id;
}

/**
 * Runs `work` in a transaction that has taken `price` quota units from the account's balance; with both rows locked, as in
 * every transfer of the ledger. Throws OperationError.
 */
export async function paying(
  { db, billing, settings }: PlanDeps,
  userId: number,
  price: number,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  if (price <= 0) return db.transaction(work);
  try {
    await billing.transfer(db, { from: userId, to: null, amount: price }, work);
  } catch (error) {
    if (error instanceof InsufficientQuota) throw tooLittle({ settings }, price);
    if (error instanceof LedgerUnavailable) throw new OperationError("database_unavailable", {}, { status: 503 });
    throw error;
  }
}

/** The price is taken already: what is left must still cover the windows. Throws OperationError. */
export function requireWallet(deps: Pick<PlanDeps, "settings">, { walletUnits }: PlanAccount, price: number): void {
  if (price > 0 && walletUnits < 0) throw tooLittle(deps, price);
}

const tooLittle = ({ settings }: Pick<PlanDeps, "settings">, price: number) =>
  new OperationError("plan_balance_too_low", { price: amountText(settings, price) });

async function offeredPlan(db: Db, planId: number): Promise<Plan> {
  const plan = await findPlan(db, planId);
  if (!plan.isVisible) throw new OperationError("plan_not_found");
  return plan;
}

/** A plan, also one that is retired: who pays for it gets it. */
export async function findAnyPlan(db: Db | Tx, planId: number): Promise<Plan | undefined> {
  const [plan] = await db.select().from(plans).where(eq(plans.id, planId));
  return plan;
}

/** A plan that can be subscribed to. Throws OperationError. */
export async function findPlan(db: Db | Tx, planId: number): Promise<Plan> {
  const plan = await findAnyPlan(db, planId);
  if (!plan || plan.isRetired) throw new OperationError("plan_not_found");
  return plan;
}
