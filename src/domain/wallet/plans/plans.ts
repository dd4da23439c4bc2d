import { and, asc, count, desc, eq, ne, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { requireRow } from "../../../../db/require-row.ts";
import { organizationMembers } from "../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { planOrders, planPurchases } from "../../../../db/schema/wallet/plans/plan-orders.ts";
import { coupons, PLAN_PERIODS, PLAN_WINDOWS, plans, subscriptions } from "../../../../db/schema/wallet/plans/plans.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { refuseBrokenPatterns } from "../../../lib/values/patterns/name-patterns.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { UserEntry } from "../../accounts/directory.ts";
import { MOST_SEATS, seatsOf } from "../../accounts/organizations/members/seats.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Listed, Page, WalletDeps } from "../operation.ts";
import { CAPABILITIES } from "./card/driver.ts";
import { priceWith } from "./coupons.ts";
import { accepts } from "./lifecycle.ts";
import { GRACE_S } from "./periods.ts";
import { lockPlanAccount, type Plan } from "./plan-account.ts";

/** What an administrator enters; amounts are quota units. Without `id`, a new plan. */
export type PlanInput = Readonly<{
  id?: number;
  name: string;
  description: string;
  price: number;
  period: string;
  periodCount: number;
  windowQuota: number;
  window: string;
  /** Calls that each window includes; 0: none. */
  windowCalls?: number;
  userGroup: string;
  trialDays: number;
  allowsOverage: boolean;
  isVisible: boolean;
  /** Members that an organization may have with it; null: any number. */
  seats?: number | null;
  /** Quota units a period for each seat that is added; 0: none can be. */
  seatPrice?: number;
  /** Models that its quota pays, as patterns with *; none: all. */
  models?: readonly string[];
  /** Of all keys of a subscriber together; 0: the plan sets no limit. */
  requestsPerMinute?: number;
  tokensPerMinute?: number;
}>;

const MOST_UNITS = 1_000_000_000_000;
/** So that all seats that can be added cost a safe integer. */
const MOST_SEAT_PRICE = 10_000_000_000;
const MOST_MODELS = 100;
const LONGEST_MODEL = 200;
const MOST_A_MINUTE = 2_000_000_000;
const MOST_CALLS = 1_000_000;
const LONGEST = { name: 60, description: 500 } as const;

/**
 * Creates or changes a plan. Running subscriptions follow its rate limits and its patterns of models at once, and the rest from their next window or period
 * on. Throws OperationError.
 */
export async function savePlan(
  { db, settings, changes }: Pick<WalletDeps, "db" | "settings" | "changes">,
  actor: UserEntry,
  input: PlanInput,
): Promise<number> {
  const values = readPlan(settings, input);
  const id = await db.transaction(async (tx) => {
    if (input.id !== undefined && values.models.length > 0) await requireNoneForAll(tx, input.id);
    const [saved] =
      input.id === undefined
        ? await tx
            .insert(plans)
            .values({ ...values, createdAt: nowSeconds() })
            .returning({ id: plans.id })
        : await tx.update(plans).set(values).where(eq(plans.id, input.id)).returning({ id: plans.id });
    if (!saved) throw new OperationError("plan_not_found");
    await writeManagementLog(tx, actor, `Saved the plan ${values.name}`, {
      ...{ note: { code: "plan_saved", params: { name: values.name } }, target: "plan", plan_id: saved.id },
      ...{ action: input.id === undefined ? "create" : "update", after: values },
    });
    return saved.id;
  });
  const running = await db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(eq(subscriptions.planId, id), ne(subscriptions.status, "ended")));
  await changes.enforce(
    "subscriptions",
    running.map((subscription) => subscription.id),
  );
  return id;
}

/** Quota that subscribers have for all models can't become quota for some. Throws OperationError. */
async function requireNoneForAll(tx: Tx, id: number): Promise<void> {
  const [present] = await tx.select({ models: plans.models }).from(plans).where(eq(plans.id, id)).for("update");
  if (!present || present.models.length > 0) return;
  const isOf = or(eq(subscriptions.planId, id), eq(subscriptions.nextPlanId, id));
  const [used] = await tx
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(and(isOf, ne(subscriptions.status, "ended")))
    .limit(1);
  if (used) throw new OperationError("plan_models_narrowed");
}

function readPlan(settings: SettingsReader, input: PlanInput) {
  const name = input.name.trim();
  const description = input.description.trim();
  const period = PLAN_PERIODS.find((known) => known === input.period);
  const window = PLAN_WINDOWS.find((known) => known === input.window);
  if (name === "" || name.length > LONGEST.name) throw new OperationError("plan_name_invalid", { max: LONGEST.name });
  if (description.length > LONGEST.description) throw new OperationError("note_too_long", { max: LONGEST.description });
  if (!period || !isInteger(input.periodCount, 1, 120)) throw new OperationError("plan_period_invalid");
  if (!window) throw new OperationError("plan_window_invalid");
  if (!isInteger(input.price, 0, MOST_UNITS)) throw new OperationError("plan_price_invalid");
  if (!isInteger(input.windowQuota, 0, MOST_UNITS)) throw new OperationError("plan_quota_invalid");
  const { windowCalls = 0 } = input;
  if (!isInteger(windowCalls, 0, MOST_CALLS)) throw new OperationError("plan_calls_invalid", { max: MOST_CALLS });
  if (!isInteger(input.trialDays, 0, 365)) throw new OperationError("plan_trial_invalid");
  const { seats = null, seatPrice = 0 } = input;
  if (seats !== null && !isInteger(seats, 1, MOST_SEATS))
    throw new OperationError("plan_seats_number_invalid", { max: MOST_SEATS });
  if (!isInteger(seatPrice, 0, MOST_SEAT_PRICE)) throw new OperationError("plan_seat_price_invalid");
  const models = [
    ...new Set((input.models ?? []).map((pattern) => pattern.trim()).filter((pattern) => pattern !== "")),
  ];
  if (models.length > MOST_MODELS || models.some((pattern) => pattern.length > LONGEST_MODEL))
    throw new OperationError("plan_models_invalid", { max: MOST_MODELS });
  refuseBrokenPatterns(models);
  const { requestsPerMinute = 0, tokensPerMinute = 0 } = input;
  for (const limit of [requestsPerMinute, tokensPerMinute])
    if (!isInteger(limit, 0, MOST_A_MINUTE)) throw new OperationError("plan_rate_invalid", { max: MOST_A_MINUTE });
  if (seats === null && seatPrice > 0) throw new OperationError("plan_seat_price_unlimited");
  if (input.userGroup !== "" && !settings.get("GroupRatio").has(input.userGroup)) {
    throw new OperationError("user_group_unknown", { group: input.userGroup });
  }
  const { price, periodCount, windowQuota, userGroup, trialDays, allowsOverage, isVisible } = input;
  return {
    ...{ name, description, price, period, periodCount, windowQuota, window, userGroup, trialDays },
    ...{ allowsOverage, isVisible, seats, seatPrice, models, requestsPerMinute, tokensPerMinute },
    windowCalls,
  };
}

const isInteger = (value: number, least: number, most: number) =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** Offers a plan to nobody any more; its subscriptions end with their periods. Throws OperationError. */
export async function retirePlan({ db }: Readonly<{ db: Db }>, actor: UserEntry, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    const [plan] = await tx.update(plans).set({ isRetired: true }).where(eq(plans.id, id)).returning();
    if (!plan) throw new OperationError("plan_not_found");
    await writeManagementLog(tx, actor, `Retired the plan ${plan.name}`, {
      ...{ note: { code: "plan_retired", params: { name: plan.name } }, target: "plan", plan_id: id, action: "delete" },
    });
  });
}

/** Plans that are not retired, the least expensive first; with `onlyVisible` those that are offered to users. */
export async function listPlans(db: Db, { onlyVisible }: Readonly<{ onlyVisible: boolean }>): Promise<Plan[]> {
  const rows = await db.select().from(plans).where(eq(plans.isRetired, false)).orderBy(asc(plans.price), asc(plans.id));
  return rows.filter(({ isVisible }) => isVisible || !onlyVisible);
}

/** What a subscription is shown with; times are epoch seconds, amounts quota units. */
const view = {
  id: subscriptions.id,
  user_id: subscriptions.userId,
  username: users.username,
  plan_id: subscriptions.planId,
  plan_name: plans.name,
  status: subscriptions.status,
  is_trial: subscriptions.isTrial,
  price: plans.price,
  period_start: subscriptions.periodStart,
  period_end: subscriptions.periodEnd,
  window: plans.window,
  /** While the window is not open: the end of the period. */
  window_end: subscriptions.windowEnd,
  /** False: it is full, and begins with the next call that draws on it. */
  is_window_open: subscriptions.isWindowOpen,
  window_quota: plans.windowQuota,
  remaining: subscriptions.remaining,
  /** Included calls of the present window, and how many are left. */
  window_calls: subscriptions.windowCalls,
  calls_left: subscriptions.callsLeft,
  cancel_at_end: subscriptions.cancelAtEnd,
  /** It is paused when its period ends. */
  pause_at_end: subscriptions.pauseAtEnd,
  next_plan_id: subscriptions.nextPlanId,
  /** A change to this plan waits to be paid or approved at the service; null: none does. */
  waiting_plan: sql<string | null>`(select p.name from plan_orders c join plans p on p.id = c.plan_id
    where c.replaces_id = ${subscriptions.orderId} and c.status = 'pending' limit 1)`,
  allows_overage: plans.allowsOverage,
  /** Members that the organization has. */
  members: sql<number>`(select count(*)::int from ${organizationMembers}
    where ${organizationMembers.organizationId} = ${subscriptions.userId})`,
  /** Models that its quota pays, as patterns; none: all, and what is left is part of the balance. */
  models: plans.models,
  /** Limits of the plan for all keys together; 0: none. */
  requests_per_minute: plans.requestsPerMinute,
  tokens_per_minute: plans.tokensPerMinute,
  /** The seats that the plan has at least, and what each further one costs a period, 0: none can be added. */
  least_seats: plans.seats,
  seat_price: plans.seatPrice,
  /** It is renewed by card or PayPal instead of from the balance. */
  is_card: sql<boolean>`${subscriptions.orderId} is not null`,
  /** The service that renews it; null: the balance does, or its subscriber pays each period by `pay_method`. */
  service: planOrders.service,
  pay_method: subscriptions.payMethod,
  /** The period after the present one is paid. */
  is_next_paid: sql<boolean>`exists (select 1 from ${planPurchases}
    where ${planPurchases.subscriptionId} = ${subscriptions.id} and ${planPurchases.status} = 'next')`,
};

const nextPlans = alias(plans, "next_plans");

const viewed = (db: Db) =>
  db
    .select({
      ...{ view, plan: plans, next: nextPlans, coupon: coupons },
      ...{ added: subscriptions.extraSeats, adds: subscriptions.nextExtraSeats },
    })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .innerJoin(users, eq(users.id, subscriptions.userId))
    .leftJoin(planOrders, eq(planOrders.id, subscriptions.orderId))
    .leftJoin(nextPlans, eq(nextPlans.id, subscriptions.nextPlanId))
    .leftJoin(coupons, eq(coupons.id, subscriptions.couponId));

const rowOf = ({ view: row, plan, next, coupon, added, adds }: Awaited<ReturnType<typeof viewed>>[number]) => ({
  ...row,
  /** Until when the next period can be paid. */
  pay_until: row.period_end + GRACE_S,
  /** Members that the organization may have now and from the next period on; null: any number. */
  seats: seatsOf(plan, added),
  next_seats: seatsOf(next ?? plan, adds ?? added),
  /** What the next period costs, with its coupon and seats. */
  renewal_price: priceWith(next ?? plan, coupon, adds ?? added),
});

/** A subscription as it is shown. */
export type SubscriptionView = ReturnType<typeof rowOf> & { actions: SubscriptionAction[] };

function toView(found: Parameters<typeof rowOf>[0]): SubscriptionView {
  const row = rowOf(found);
  return { ...row, actions: actionsOf(row) };
}

/**
 * What its subscriber can do with a subscription. `stay` takes back what was to begin with the next period, and `give_up` the plan that
 * follows one which has ended at its service.
 */
const ACTIONS = [
  ...(["pay_next", "set_pay_method", "open_portal", "set_seats", "resume"] as const),
  ...(["pause", "stay", "give_up", "keep", "cancel"] as const),
];
export type SubscriptionAction = (typeof ACTIONS)[number];

/** What can be done with a subscription in its state, with whoever renews it. */
function actionsOf(row: ReturnType<typeof rowOf>): SubscriptionAction[] {
  const {
    status,
    cancel_at_end: isCanceled,
    pay_method: payMethod,
    renewal_price: price,
    next_plan_id: nextPlan,
  } = row;
  const can = CAPABILITIES[row.service ?? "balance"];
  const goesOn = accepts(row, "cancel") && !isCanceled;
  const isPausedForGood = status === "paused" && (payMethod === null || price === 0);
  const hasNext = nextPlan !== null || (row.is_card && row.next_seats !== row.seats);
  const isPossible: Readonly<Record<SubscriptionAction, boolean>> = {
    pay_next: goesOn && payMethod !== null && price > 0 && !row.is_next_paid,
    set_pay_method: goesOn && !row.is_card && price > 0,
    open_portal: can.hasPortal,
    set_seats: goesOn && status === "active" && row.least_seats !== null && row.members > 0 && row.seat_price > 0,
    resume: can.pauses && (row.pause_at_end || isPausedForGood),
    pause: can.pauses && goesOn && accepts(row, "pause") && !row.pause_at_end,
    stay: !isCanceled && hasNext && !row.is_next_paid,
    give_up: isCanceled && nextPlan !== null,
    keep: isCanceled && accepts(row, "keep") && can.renewsAgain,
    cancel: goesOn,
  };
  return ACTIONS.filter((action) => isPossible[action]);
}

/** An account's running subscriptions, with what is left of their windows now. */
export async function listOwnSubscriptions(db: Db, userId: number): Promise<SubscriptionView[]> {
  const own = () =>
    viewed(db)
      .where(eq(subscriptions.userId, userId))
      .orderBy(asc(subscriptions.id))
      .then((rows) => rows.map(toView).filter(({ status }) => status !== "ended"));
  if ((await own()).length === 0) return [];
  await db.transaction(async (tx) => void (await lockPlanAccount(tx, userId)));
  return own();
}

/** Everybody's subscriptions, newest first; ended ones only where `all`. */
export async function listSubscriptions(
  db: Db,
  { all, page, pageSize }: Page & Readonly<{ all: boolean }>,
): Promise<Listed<SubscriptionView>> {
  const where = all ? undefined : ne(subscriptions.status, "ended");
  const { total } = requireRow(await db.select({ total: count() }).from(subscriptions).where(where));
  const rows = await viewed(db)
    .where(where)
    .orderBy(desc(subscriptions.id))
    .limit(pageSize)
    .offset(page * pageSize);
  return { items: rows.map(toView), total };
}
