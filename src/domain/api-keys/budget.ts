import { eq, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { tokens } from "../../../db/schema/api-keys.ts";
import type { Db } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import { periodEnd } from "../../lib/values/calendar-period.ts";
import { isOneOf } from "../../lib/values/sql-text.ts";
import { tokenBudgetError } from "./api-key-rules.ts";
import type { ApiKeyRow } from "./api-key-view.ts";
import type { ApiKeyDeps } from "./operation.ts";

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

function readPeriod(input: string): BudgetPeriod {
  const period = BUDGET_PERIODS.find((known) => known === input);
  if (period === undefined) throw new OperationError("token_budget_invalid");
  return period;
}

/** What is left and what was used, in quota units. */
export type Standing = Readonly<{ remaining: number; used: number }>;

/** Whose standing: that of one API key, or of its owner over all keys. */
export type StandingSubject = Readonly<{ tokenId: number } | { userId: number }>;

/** Reads how an API key or a user stands; nothing left and nothing used when the row is gone. */
export async function readStanding(db: Db, subject: StandingSubject): Promise<Standing> {
  const [row] =
    "tokenId" in subject
      ? await db
          .select({ remaining: tokens.remainQuota, used: tokens.usedQuota })
          .from(tokens)
          .where(eq(tokens.id, subject.tokenId))
      : await db
          .select({ remaining: users.quota, used: users.usedQuota })
          .from(users)
          .where(eq(users.id, subject.userId));
  return row ?? { remaining: 0, used: 0 };
}

type RenewDeps = Pick<ApiKeyDeps, "db" | "changes" | "settings">;

/** Keys renewed in one statement. */
const MOST_AT_ONCE = 500;

/**
 * Fills the budgets whose period has ended, of these keys or of all; keys that were used up work again. Each period of a
 * key begins once, whoever asks first. Resolves with how many were renewed, when this process knows of it.
 */
export async function renewBudgets(
  { db, changes, settings }: RenewDeps,
  ids?: readonly number[],
  now: number = nowSeconds(),
): Promise<number> {
  const next = periodEnd(sql`${tokens.budgetPeriod}`, settings.get("CheckInTimeZone"), now);
  // Locked in the order of their ids, as the ledger does.
  const due = sql`select ${tokens.id} from ${tokens}
    where ${tokens.budgetRenewsAt} > 0 and ${tokens.budgetRenewsAt} <= ${now}
      ${ids ? sql`and ${isOneOf(sql`${tokens.id}`, ids)}` : sql``}
    order by ${tokens.id} limit ${MOST_AT_ONCE} for update`;
  const renewed = await db
    .update(tokens)
    .set({
      remainQuota: sql`${tokens.budgetQuota}`,
      status: sql`case when ${tokens.status} = 4 then 1 else ${tokens.status} end`,
      budgetRenewsAt: next,
    })
    .where(sql`${tokens.id} in (${due})`)
    .returning({ id: tokens.id });
  // Where another process was faster, this one still has to learn of it before its call goes on.
  await changes.publish("tokens", ids ?? renewed.map(({ id }) => id));
  return renewed.length;
}
