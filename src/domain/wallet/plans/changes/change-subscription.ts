import { and, eq } from "drizzle-orm";
import { subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import type { UserEntry } from "../../../accounts/directory.ts";
import { writeManagementLog } from "../../../logs/write-log.ts";
import { readCardTerms, textOf } from "../card/change-terms.ts";
import { CAPABILITIES, type Changed, type ServiceDrivers } from "../card/driver.ts";
import { atService } from "../card/drivers.ts";
import { accepts, transition } from "../lifecycle.ts";
import { publishPlanAccount } from "../limits/overage.ts";
import { applyEvent, findRunning, lockPlanAccount, type Subscription } from "../plan-account.ts";
import { type ChangeInput, findInReach, readChange } from "../read-change.ts";
import { readNextPeriod } from "../renewal/next-period.ts";
import type { PlanDeps } from "../subscribe.ts";
import { beginPeriod, changeFromBalance, dueFromBalance } from "./pay-from-balance.ts";

/** `drivers`: the services that renew subscriptions. */
export type SubscriptionDeps = PlanDeps & Readonly<{ log: Logger; drivers: ServiceDrivers }>;
type RenewalDeps = Pick<SubscriptionDeps, "db" | "log" | "drivers">;
type Customer = Readonly<{ id: number; group: string }>;

/** What a change of a plan costs, before it is confirmed. */
export type ChangePreview = {
  /** The other plan begins at once, or with the next period. */
  starts: "now" | "next_period";
  /** When the next period begins, epoch seconds. */
  period_end: number;
  /** Who pays: the balance (amounts in quota units), or a service (amounts in decimal text of `currency`). */
  pays: "balance" | "stripe" | "paypal";
  due_units: number;
  price_units: number;
  due: string;
  price: string;
  currency: string;
  /** The time for which this was computed, and what the plan had paid then: a confirmation names them, so that it costs the same. */
  at: number;
  drawn_units: number;
  drawn_calls: number;
};

/** How long a preview can be confirmed. */
const PREVIEW_S = 900;

/** Computes what a change of a plan or its seats costs; nothing is changed. Throws OperationError. */
export async function previewChange(
  deps: SubscriptionDeps,
  user: Customer,
  input: ChangeInput,
  now = nowSeconds(),
): Promise<ChangePreview> {
  const change = await readChange(deps.db, user.id, input);
  const { current, isUpgrade, isOfSeats, price } = change;
  const startsOf = (isNow: boolean) => (isNow ? "now" : "next_period");
  const none = { due_units: 0, price_units: 0, due: "", price: "", currency: "", drawn_units: 0, drawn_calls: 0 };
  const base = { ...none, period_end: current.periodEnd, at: now };
  if (current.orderId === null) {
    if (isOfSeats && current.status !== "active") throw new OperationError("subscription_not_active");
    const amounts = { price_units: price, due_units: dueFromBalance(change, now) };
    return { ...base, ...amounts, starts: startsOf(isUpgrade), pays: "balance" };
  }
  return atService(deps, current.orderId, async (driver, order) => {
    const terms = await readCardTerms(deps, user, { change, order, drawn: input.drawn }, now);
    driver.checkChange(terms, now);
    const { quote, drawn } = terms;
    const isNow = isUpgrade && CAPABILITIES[order.service].prorates;
    const due = isNow ? await driver.previewChange(terms, now) : 0;
    return {
      ...{ ...base, starts: startsOf(isNow), pays: order.service, price: quote.money, currency: quote.currency },
      ...{ due: textOf(due, quote.currency), drawn_units: drawn.units, drawn_calls: drawn.calls },
    };
  });
}

/**
 * Changes the plan of a subscription or its seats, whoever renews it; a service's page leads back to `site`. `at`: the time of the
 * preview that is confirmed, a quarter of an hour ago at most. Throws OperationError.
 */
export async function changePlan(
  deps: SubscriptionDeps,
  user: Customer,
  { at, site, ...input }: ChangeInput & Readonly<{ at?: number | undefined; site: string }>,
  now = nowSeconds(),
): Promise<Changed> {
  const change = await readChange(deps.db, user.id, input);
  const { orderId, periodStart } = change.current;
  if (orderId === null) {
    await changeFromBalance(deps, change, now);
    return { url: null };
  }
  if (at !== undefined && (at > now || at < now - PREVIEW_S)) throw new OperationError("plan_change_preview_old");
  return atService(deps, orderId, async (driver, order) => {
    const terms = await readCardTerms(deps, user, { change, order, drawn: input.drawn }, now);
    driver.checkChange(terms, now);
    // What was unused before the period began is none of it.
    return driver.change(terms, { from: Math.max(at ?? now, periodStart), now, site });
  });
}

/** Lets a subscription end with its period, or has it renewed after all; one at a service there first. Throws OperationError. */
export async function setRenewal(
  deps: RenewalDeps,
  userId: number,
  subscriptionId: number,
  isRenewed: boolean,
  now = nowSeconds(),
): Promise<void> {
  const owned = await readOwn(deps, userId, subscriptionId);
  await setServiceRenewal(deps, owned?.orderId ?? null, isRenewed, now);
  await deps.db.transaction(async (tx) => {
    const { subscription } = findRunning(await lockPlanAccount(tx, userId), subscriptionId);
    await applyEvent(tx, subscription, isRenewed ? "keep" : "cancel", null);
  });
}

const setServiceRenewal = async (deps: RenewalDeps, orderId: number | null, isRenewed: boolean, now: number) =>
  orderId === null ? undefined : atService(deps, orderId, (driver, order) => driver.setRenewal(order, isRenewed, now));

async function readOwn({ db }: RenewalDeps, userId: number, id: number): Promise<Subscription | undefined> {
  const isOwn = and(eq(subscriptions.id, id), eq(subscriptions.userId, userId));
  const [subscription] = await db.select().from(subscriptions).where(isOwn);
  return subscription;
}

/**
 * Ends a subscription at once, by an administrator; what is left of its window is taken back, and a service does not charge it any
 * more. Resolves with whose it was when no call is paid by it any more. Throws OperationError.
 */
export async function endNow(
  deps: RenewalDeps & Pick<PlanDeps, "changes">,
  actor: UserEntry,
  subscriptionId: number,
): Promise<number> {
  const { orderId, userId } = await findInReach(deps.db, actor, subscriptionId);
  await setServiceRenewal(deps, orderId, false, nowSeconds());
  await deps.db.transaction(async (tx) => {
    const found = await findInReach(tx, actor, subscriptionId);
    const { subscription } = findRunning(await lockPlanAccount(tx, found.userId), subscriptionId);
    await applyEvent(tx, subscription, "stop", null);
    await writeManagementLog(tx, actor, `Ended the subscription #${subscriptionId}`, {
      ...{ note: { code: "subscription_ended", params: { id: subscriptionId } } },
      ...{ action: "delete", target: "subscription", user_id: found.userId },
    });
  });
  // It pays no call any more, also where what is left can be taken back only when calls have ended.
  await publishPlanAccount(deps, userId);
  return userId;
}

/**
 * Pauses a subscription when its paid period ends, or resumes it. After the end of the period a resumed one begins a new period
 * at once: its price is taken from the balance, or the service charges it and the plan begins when the payment is reported. Resuming
 * is idempotent: one that runs and is not to be paused stays as it is, and of several at the same time one pays. Throws
 * OperationError.
 */
export async function setPaused(
  deps: SubscriptionDeps,
  userId: number,
  subscriptionId: number,
  isPaused: boolean,
  now = nowSeconds(),
): Promise<void> {
  const subscription = await readOwn(deps, userId, subscriptionId);
  if (!subscription || !accepts(subscription, "cancel")) throw new OperationError("subscription_not_found");
  const { orderId, periodEnd, status } = subscription;
  if (!isPaused && status === "paused") return resume(deps, subscription, now);
  // Its period is over and the card was not charged for the next: the job is about to pause it.
  if (!isPaused && now >= periodEnd) throw new OperationError("subscription_changed");
  const type = isPaused ? "pause" : "goOn";
  const read = async (tx: Parameters<typeof lockPlanAccount>[0]) =>
    findRunning(await lockPlanAccount(tx, userId), subscriptionId).subscription;
  await deps.db.transaction(async (tx) => void transition(await read(tx), type, null));
  if (orderId !== null) await atService(deps, orderId, (driver, order) => driver.setPaused(order, isPaused));
  await deps.db.transaction(async (tx) => void (await applyEvent(tx, await read(tx), type, null)));
}

/** Begins a new period of a subscription that is paused. */
async function resume(deps: SubscriptionDeps, subscription: Subscription, now: number): Promise<void> {
  const { id, userId, orderId, periodEnd, payMethod } = subscription;
  if (orderId !== null) return atService(deps, orderId, (driver, order) => driver.resume(order, periodEnd));
  if (payMethod !== null && (await readNextPeriod(deps.db, { subscription })).price > 0)
    throw new OperationError("plan_resume_by_payment");
  try {
    await beginPeriod(deps, subscription, now);
  } catch (error) {
    const current = await readOwn(deps, userId, id);
    // Somebody else has resumed it meanwhile, and paid.
    if (!(error instanceof OperationError) || current?.status !== "active" || current.pauseAtEnd) throw error;
  }
  await publishPlanAccount(deps, userId);
}

/** The same by an administrator, in whose reach the subscriber is; logged under the administrator's name. Throws OperationError. */
export async function setPausedByAdmin(
  deps: SubscriptionDeps,
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
