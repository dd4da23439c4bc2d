import { and, eq } from "drizzle-orm";
import { subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { beginPeriod } from "./advance-subscriptions.ts";
import { findInReach, findRunning } from "./change-subscription.ts";
import { publishPlanAccount } from "./limits/overage.ts";
import { lockPlanAccount, type Subscription } from "./plan-account.ts";
import { readNextPeriod } from "./renewal/next-period.ts";
import type { PlanDeps } from "./subscribe.ts";

/** Both reject OperationError when the payment service did not change anything. */
export type PauseDeps = PlanDeps &
  Readonly<{
    setCardPause(orderId: number, isPaused: boolean): Promise<void>;
    /** Charges a period that begins now, once for the same `since`. */
    resumeCard(orderId: number, since: number): Promise<void>;
  }>;

/**
 * Pauses a subscription when its paid period ends, or resumes it. After the end of the period a resumed one begins a new period
 * at once: its price is taken from the balance, or the card is charged and the plan begins when the payment is reported. Resuming is
 * idempotent: one that runs and is not to be paused stays as it is, and of several at the same time one pays. Throws
 * OperationError.
 */
export async function setPaused(
  deps: PauseDeps,
  userId: number,
  subscriptionId: number,
  isPaused: boolean,
  now = nowSeconds(),
): Promise<void> {
  const subscription = await readSubscription(deps, userId, subscriptionId);
  if (!subscription || ["ending", "ended"].includes(subscription.status)) {
    throw new OperationError("subscription_not_found");
  }
  if (isPaused) return pauseAtEnd(deps, subscription, true);
  if (subscription.status !== "paused") {
    // Its period is over and the card was not charged for the next: the job is about to pause it.
    if (now >= subscription.periodEnd) throw new OperationError("subscription_changed");
    return pauseAtEnd(deps, subscription, false);
  }
  if (subscription.orderId !== null) return deps.resumeCard(subscription.orderId, subscription.periodEnd);
  if (subscription.payMethod !== null && (await readNextPeriod(deps.db, { subscription })).price > 0) {
    throw new OperationError("plan_resume_by_payment");
  }
  try {
    await beginPeriod(deps, subscription, now);
  } catch (error) {
    const current = await readSubscription(deps, userId, subscriptionId);
    // Somebody else has resumed it meanwhile, and paid.
    if (!(error instanceof OperationError) || current?.status !== "active" || current.pauseAtEnd) throw error;
  }
  await publishPlanAccount(deps, userId);
}

async function readSubscription({ db }: PauseDeps, userId: number, id: number): Promise<Subscription | undefined> {
  const [subscription] = await db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.id, id), eq(subscriptions.userId, userId)));
  return subscription;
}

async function pauseAtEnd(deps: PauseDeps, { id, userId, orderId }: Subscription, isPaused: boolean): Promise<void> {
  const check = ({ status, cancelAtEnd }: Subscription) => {
    if (status !== "active" && status !== "past_due") throw new OperationError("subscription_not_active");
    if (isPaused && cancelAtEnd) throw new OperationError("subscription_canceled");
  };
  await deps.db.transaction(async (tx) => check(findRunning(await lockPlanAccount(tx, userId), id).subscription));
  if (orderId !== null) await deps.setCardPause(orderId, isPaused);
  await deps.db.transaction(async (tx) => {
    check(findRunning(await lockPlanAccount(tx, userId), id).subscription);
    await tx.update(subscriptions).set({ pauseAtEnd: isPaused }).where(eq(subscriptions.id, id));
  });
}

/** The same by an administrator, in whose reach the subscriber is; logged under the administrator's name. Throws OperationError. */
export async function setPausedByAdmin(
  deps: PauseDeps,
  actor: UserEntry,
  subscriptionId: number,
  isPaused: boolean,
  now = nowSeconds(),
): Promise<void> {
  const { userId } = await findInReach(deps.db, actor, subscriptionId);
  await setPaused(deps, userId, subscriptionId, isPaused, now);
  await writeManagementLog(deps.db, actor, `${isPaused ? "Paused" : "Resumed"} the subscription #${subscriptionId}`, {
    note: { code: isPaused ? "subscription_paused" : "subscription_resumed", params: { id: subscriptionId } },
    ...{ action: isPaused ? "disable" : "enable", target: "subscription", user_id: userId },
  });
}
