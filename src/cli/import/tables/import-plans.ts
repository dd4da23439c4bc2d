import { and, eq } from "drizzle-orm";
import {
  type PlanPeriod,
  type PlanWindow,
  planAccounts,
  plans,
  subscriptions,
} from "../../../../db/schema/wallet/plans/plans.ts";
import type { Tx } from "../../../../db/types.ts";
import { addQuota } from "../../../domain/wallet/balances.ts";
import { windowAt } from "../../../domain/wallet/plans/periods.ts";
import { applyPlans, lockPlanAccount, logPlan, type Plan } from "../../../domain/wallet/plans/plan-account.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { decimal, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { IdMap, Migration } from "../migration.ts";
import type { SourceRow } from "../source.ts";
import { balanceOf, flagOf, integerIn, textOf } from "../values.ts";

const PLANS = "plans";
const SUBSCRIPTIONS = "subscriptions";

type ImportedPlan = Omit<Plan, "id"> & Readonly<{ id: number | null }>;

/**
 * Brings plans and running subscriptions of new-api over. A subscription runs to the end of its paid time with what is left of
 * its quota, and is not renewed: new-api renews none either. Call it after users and options.
 */
export async function importPlans(migration: Migration, userIds: IdMap): Promise<void> {
  const columns = await migration.source.columns("subscription_plans");
  if (!columns.has("total_amount")) {
    if (columns.size > 0) migration.report.skip(PLANS, "of an early new-api with quota by model: update new-api first");
    return;
  }
  const imported = await importPlanRows(migration);
  await importSubscriptions(migration, userIds, imported);
}

async function importPlanRows({ source, database, report, isDry }: Migration): Promise<Map<number, ImportedPlan>> {
  const section = report.section(PLANS);
  const imported = new Map<number, ImportedPlan>();
  const unitsAUsd = await readUnitsAUsd(source);
  const here = await database.db.select().from(plans);
  for await (const rows of source.slices("subscription_plans")) {
    section.read += rows.length;
    for (const row of rows) {
      const plan = readPlan(row, unitsAUsd);
      if (typeof plan === "string") {
        report.skip(PLANS, `${textOf(row, "title")}: ${plan}`);
        continue;
      }
      for (const remark of plan.remarks) report.remark(PLANS, `${textOf(row, "title")}: ${remark}`);
      const known = here.find(
        ({ name, createdAt }) => name === plan.values.name && createdAt === plan.values.createdAt,
      );
      section[known ? "present" : "added"] += 1;
      const [saved] = known || isDry ? [known] : await database.db.insert(plans).values(plan.values).returning();
      imported.set(integerIn(row, "id"), saved ?? { ...plan.values, id: null });
    }
  }
  return imported;
}

/** Quota units that were a dollar at the source. */
async function readUnitsAUsd(source: Migration["source"]): Promise<string> {
  const options = (await source.columns("options")).size > 0 ? await source.all("options") : [];
  const row = options.find((option) => textOf(option, "key") === "QuotaPerUnit");
  return (row && textOf(row, "value")) || "500000";
}

async function importSubscriptions(
  migration: Migration,
  userIds: IdMap,
  imported: ReadonlyMap<number, ImportedPlan>,
): Promise<void> {
  const { source, database, report, isDry } = migration;
  const section = report.section(SUBSCRIPTIONS);
  if ((await source.columns("user_subscriptions")).size === 0) return;
  const now = nowSeconds();
  for await (const rows of source.slices("user_subscriptions")) {
    section.read += rows.length;
    for (const row of rows) {
      const plan = imported.get(integerIn(row, "plan_id"));
      const userId = userIds.get(integerIn(row, "user_id"));
      if (textOf(row, "status") !== "active" || integerIn(row, "end_time") <= now) report.skip(SUBSCRIPTIONS, "over");
      else if (!plan) report.skip(SUBSCRIPTIONS, "the plan did not come over");
      else if (userId === undefined) report.skip(SUBSCRIPTIONS, "the user did not come over");
      else {
        const remaining = Math.max(0, balanceOf(row, "amount_total") - balanceOf(row, "amount_used"));
        section.before += remaining;
        const { id } = plan;
        const outcome =
          id === null
            ? { isNew: true, remaining: 0 }
            : await database.db.transaction((tx) => begin(tx, { ...plan, id }, { row, userId, remaining, now, isDry }));
        section[outcome.isNew ? "added" : "present"] += 1;
        section.after += outcome.remaining;
      }
    }
  }
}

type Bought = Readonly<{
  row: SourceRow;
  userId: number;
  remaining: number;
  now: number;
  isDry: boolean;
}>;

/** Begins a subscription with what is left of it, unless an earlier run did. What is left becomes part of the balance. */
async function begin(tx: Tx, plan: Plan, { row, userId, remaining, now, isDry }: Bought) {
  const periodStart = integerIn(row, "start_time");
  const periodEnd = integerIn(row, "end_time");
  const [known] = await tx
    .select()
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.userId, userId),
        eq(subscriptions.planId, plan.id),
        eq(subscriptions.startedAt, periodStart),
      ),
    );
  if (known || isDry) return { isNew: !known, remaining: known?.remaining ?? 0 };
  const account = await lockPlanAccount(tx, userId);
  const window = windowAt(plan.window, now, { periodStart, periodEnd });
  await tx.insert(subscriptions).values({
    ...{
      userId,
      planId: plan.id,
      status: "active",
      paid: 0,
      startedAt: periodStart,
      periodStart,
      periodEnd,
    },
    ...{
      ...window,
      remaining,
      cancelAtEnd: true,
    },
  });
  if (remaining > 0) {
    await addQuota(tx, userId, remaining);
    await logPlan(tx, userId, "plan_quota_granted", plan, remaining);
  }
  // new-api has put the user into the plan's group already: without this the user would stay there when it ends.
  const ownGroup = textOf(row, "prev_user_group");
  if (plan.userGroup !== "" && ownGroup !== "" && account.group === plan.userGroup) {
    await tx.update(planAccounts).set({ planGroup: plan.userGroup, ownGroup }).where(eq(planAccounts.userId, userId));
  }
  await applyPlans(tx, account);
  return { isNew: true, remaining };
}

const DAY_S = 86_400;
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 500;
const MOST_PERIODS = 120;

type PlanValues = Required<Omit<typeof plans.$inferInsert, "id">>;
type Terms = Readonly<{ values: PlanValues; remarks: readonly string[] }>;

const WINDOWS: Readonly<Record<string, PlanWindow>> = {
  never: "period",
  daily: "day",
  weekly: "week",
  monthly: "month",
};
const CUSTOM_WINDOWS: Readonly<Record<number, PlanWindow>> = {
  18000: "5h",
  [DAY_S]: "day",
  [7 * DAY_S]: "week",
};

/** A plan of new-api as it is here; text: why there is nothing like it. `unitsAUsd`: quota units in a dollar. */
function readPlan(row: SourceRow, unitsAUsd: string): Terms | string {
  const windowQuota = balanceOf(row, "total_amount");
  if (windowQuota === 0) return "unlimited quota has no counterpart here";
  const period = readPeriod(row);
  if (period === null)
    return `its duration (${textOf(row, "duration_unit")}) is no whole number of days, months or years`;
  const reset = textOf(row, "quota_reset_period") || "never";
  const seconds = integerIn(row, "quota_reset_custom_seconds");
  const window = reset === "custom" ? CUSTOM_WINDOWS[seconds] : WINDOWS[reset];
  if (window === undefined)
    return `quota that comes back every ${reset === "custom" ? `${seconds} s` : reset} has no counterpart here`;
  const currency = textOf(row, "currency").toUpperCase() || "USD";
  const isOffered = flagOf(row, "enabled", true);
  const isSellable = currency === "USD" && flagOf(row, "allow_balance_pay", true);
  const remarks = [
    ...(currency === "USD" ? [] : [`hidden, its price is in ${currency}: enter it in quota`]),
    ...(flagOf(row, "allow_balance_pay", true) ? [] : ["hidden, it could not be paid from the balance"]),
    ...(integerIn(row, "max_purchase_per_user") > 0 ? ["its limit of purchases has no counterpart here"] : []),
  ];
  const values = {
    ...{ ...period, window, windowQuota },
    name: textOf(row, "title").slice(0, LONGEST_NAME) || "Plan",
    description: textOf(row, "subtitle").slice(0, LONGEST_DESCRIPTION),
    price: Math.max(0, roundToInteger(multiply(decimal(textOf(row, "price_amount") || "0"), decimal(unitsAUsd)))),
    userGroup: textOf(row, "upgrade_group"),
    trialDays: 0,
    allowsOverage: flagOf(row, "allow_wallet_overflow", true),
    isVisible: isOffered && isSellable,
    // Its plans include quota alone.
    windowCalls: 0,
    ...{ isRetired: false, seats: null, seatPrice: 0, models: [], requestsPerMinute: 0, tokensPerMinute: 0 },
    createdAt: integerIn(row, "created_at") || nowSeconds(),
  };
  return { values, remarks };
}

function readPeriod(row: SourceRow): { period: PlanPeriod; periodCount: number } | null {
  const unit = textOf(row, "duration_unit");
  const count = integerIn(row, "duration_value", 1);
  const seconds = unit === "hour" ? count * 3600 : unit === "custom" ? integerIn(row, "custom_seconds") : 0;
  const days = seconds / DAY_S;
  const found =
    unit === "day" || unit === "month" || unit === "year"
      ? ({ period: unit, periodCount: count } as const)
      : ({ period: "day", periodCount: days } as const);
  return Number.isSafeInteger(found.periodCount) && found.periodCount >= 1 && found.periodCount <= MOST_PERIODS
    ? found
    : null;
}
