import { type SQL, sql } from "drizzle-orm";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { tokenBudgetError } from "../api-key-rules.ts";
import type { ApiKeyRow } from "../api-key-view.ts";
import type { ApiKeyDeps } from "../operation.ts";

/** How often a key's quota is filled again; empty: never. */
const BUDGET_PERIODS = ["", "day", "week", "month"] as const;
type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What is sent of a key's budget; `budget_quota` is in quota units. */
export type BudgetInput = { budget_period?: string; budget_quota?: number };

type Before = Pick<ApiKeyRow, "budgetPeriod" | "budgetQuota" | "remainQuota">;

const NO_BUDGET: Before = { budgetPeriod: "", budgetQuota: 0, remainQuota: 0 };

/**
 * The columns that a budget changes. A new period begins with a full budget; a new amount keeps what was spent of the
 * running one. A key with a budget is never unlimited. Throws OperationError.
 */
export function readBudget(
  { budget_period: newPeriod, budget_quota: amount }: BudgetInput,
  settings: ApiKeyDeps["settings"],
  nowSeconds: number,
  before: Before = NO_BUDGET,
) {
  const period = readPeriod(newPeriod ?? before.budgetPeriod);
  if (period === "") {
    return before.budgetPeriod === "" ? {} : { budgetPeriod: period, budgetQuota: 0, budgetRenewsAt: 0 };
  }
  const quota = amount ?? before.budgetQuota;
  throwRuleError(tokenBudgetError(quota));
  if (period === before.budgetPeriod) {
    const remains = Math.max(0, quota - Math.max(0, before.budgetQuota - before.remainQuota));
    return quota === before.budgetQuota ? {} : { budgetQuota: quota, remainQuota: remains };
  }
  return {
    budgetPeriod: period,
    budgetQuota: quota,
    remainQuota: quota,
    unlimitedQuota: false,
    budgetRenewsAt: periodEnd(sql`${period}::text`, settings.get("CheckInTimeZone"), nowSeconds),
  };
}

/** When the day, the week (from Monday) or the month that holds `nowSeconds` ends in a time zone; epoch seconds. */
export const periodEnd = (period: SQL, timeZone: string, nowSeconds: number): SQL<number> =>
  sql<number>`extract(epoch from (
    date_trunc(${period}, to_timestamp(${nowSeconds}::bigint) at time zone ${timeZone}::text) + ('1 ' || ${period})::interval
  ) at time zone ${timeZone}::text)::bigint`;

function readPeriod(input: string): BudgetPeriod {
  const period = BUDGET_PERIODS.find((known) => known === input);
  if (period === undefined) throw new OperationError("token_budget_invalid");
  return period;
}
