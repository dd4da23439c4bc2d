import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { dollars, type FindConditions, shortNumber } from "./condition.ts";

const DAY_SECONDS = 86_400;
const ENABLED = 1;

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
