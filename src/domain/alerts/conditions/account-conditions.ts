import { and, asc, eq, gt, inArray, isNull, sql } from "drizzle-orm";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { type Condition, dollars, type FindConditions, shortNumber } from "./condition.ts";

const DAY_SECONDS = 86_400;
const ENABLED = 1;
const EXHAUSTED = 4;
/** Percent of a budget that are reported, from the rule's threshold on. */
const BUDGET_LEVELS = [50, 80, 95, 100];

/** The account has less than the threshold left. */
export const findLowBalance: FindConditions = async (deps, { owner, threshold }) => {
  if (owner === "site") return [];
  const [user] = await deps.db.select({ quota: users.quota }).from(users).where(eq(users.id, owner));
  if (!user || user.quota >= threshold) return [];
  return [
    {
      subject: "balance",
      severity: user.quota > 0 ? "warning" : "error",
      notice: {
        type: "balance_low",
        title: { en: "Your balance is low", zh: "余额不足" },
        content: {
          en: "Your balance is {{value}}, less than {{value}}.",
          zh: "当前余额为 {{value}}，已低于 {{value}}。",
        },
        values: [dollars(user.quota, deps), dollars(threshold, deps)],
        path: "/topup",
      },
    },
  ];
};

/** API keys that have used so much of their budget; of the levels that a key has passed the highest is sent. */
export const findUsedBudgets: FindConditions = async (deps, { owner, threshold }) => {
  if (owner === "site") return [];
  const keys = await deps.db
    .select({ id: tokens.id, name: tokens.name, budget: tokens.budgetQuota, remains: tokens.remainQuota })
    .from(tokens)
    .where(
      and(
        eq(tokens.userId, owner),
        gt(tokens.budgetQuota, 0),
        isNull(tokens.deletedAt),
        inArray(tokens.status, [ENABLED, EXHAUSTED]),
      ),
    )
    .orderBy(asc(tokens.id));
  const levels = [...new Set([threshold, ...BUDGET_LEVELS.filter((level) => level > threshold)])];
  return keys.flatMap(({ id, name, budget, remains }) => {
    const spent = budget - remains;
    const percent = (100 * spent) / budget;
    const passed = levels.filter((level) => percent >= level);
    return passed.map(
      (level): Condition => ({
        subject: `key/${id}/${level}`,
        severity: level >= 100 ? "error" : "warning",
        isQuiet: level !== passed.at(-1),
        notice: {
          type: "key_budget",
          title: { en: "An API key's budget is running out", zh: "令牌额度即将用尽" },
          content: {
            en: "API key “{{value}}” has used {{value}}% of its budget: {{value}} of {{value}}.",
            zh: "令牌「{{value}}」已使用额度的 {{value}}%：{{value}} / {{value}}。",
          },
          values: [name, shortNumber(percent), dollars(spent, deps), dollars(budget, deps)],
          path: "/token",
        },
      }),
    );
  });
};

/** Enabled API keys that nobody has used for so many days. */
export const findUnusedKeys: FindConditions = async ({ db }, { owner, threshold, now }) => {
  if (owner === "site") return [];
  const since = Math.floor(now - threshold * DAY_SECONDS);
  const keys = await db
    .select({ id: tokens.id, name: tokens.name })
    .from(tokens)
    .where(
      and(
        eq(tokens.userId, owner),
        eq(tokens.status, ENABLED),
        isNull(tokens.deletedAt),
        sql`greatest(${tokens.accessedTime}, ${tokens.createdTime}) < ${since}`,
      ),
    )
    .orderBy(asc(tokens.id));
  return keys.map(({ id, name }) => ({
    subject: `key/${id}`,
    severity: "info",
    notice: {
      type: "key_unused",
      title: { en: "An API key is unused", zh: "令牌长期未使用" },
      content: {
        en: "API key “{{value}}” has not been used for {{value}} days. Delete it if nobody needs it.",
        zh: "令牌「{{value}}」已 {{value}} 天未使用，如不再需要请删除。",
      },
      values: [name, shortNumber(threshold)],
      path: "/token",
    },
  }));
};
