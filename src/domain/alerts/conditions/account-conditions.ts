import { and, asc, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { policies } from "../../../../db/schema/accounts/organizations/policies.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import { dollars, type FindConditions, shortNumber } from "./condition.ts";

const DAY_SECONDS = 86_400;
const ENABLED = 1;
const EXHAUSTED = 4;
/** Days before a rotation is due that are reported, within the rule's threshold; 0: it is overdue. */
const ROTATION_LEVELS = [14, 3, 1, 0];

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

/**
 * API keys that a policy demands to be rotated within so many days: all of an organization, or those that a person made for
 * one. A condition for each level that was reached; the latest is sent.
 */
export const findDueRotations: FindConditions = async ({ db }, { owner, organization, threshold, now }) => {
  if (owner === "site") return [];
  const days = sql<number>`(${policies.rules}->>'rotation_days')::int`;
  const since = sql<number>`greatest(${tokens.createdTime}, ${tokens.secretSince})`.mapWith(Number);
  const due = sql<number>`${since} + ${days} * ${DAY_SECONDS}`.mapWith(Number);
  const keys = await db
    .selectDistinctOn([tokens.id], { id: tokens.id, name: tokens.name, policy: policies.name, days, due })
    .from(policies)
    .innerJoin(tokens, eq(tokens.userId, policies.organizationId))
    .where(
      and(
        organization === null ? eq(tokens.createdBy, owner) : eq(tokens.userId, owner),
        or(isNull(policies.projectId), eq(policies.projectId, tokens.projectId)),
        inArray(tokens.status, [ENABLED, EXHAUSTED]),
        isNull(tokens.deletedAt),
        sql`${days} > 0`,
        lte(due, Math.floor(now + threshold * DAY_SECONDS)),
      ),
    )
    .orderBy(asc(tokens.id), asc(days));
  return keys.flatMap((key) => {
    const daysLeft = (key.due - now) / DAY_SECONDS;
    const levels = [...new Set([threshold, ...ROTATION_LEVELS.filter((level) => level < threshold)])];
    const reached = levels.filter((level) => daysLeft <= level);
    return reached.map((level) => ({
      subject: `rotation/${key.id}/${key.due}/${level}`,
      severity: level === 0 ? "error" : "warning",
      isQuiet: level !== reached.at(-1),
      notice: {
        type: "key_rotation",
        title:
          level === 0
            ? { en: "An API key is refused until it is rotated", zh: "令牌须轮换后才能使用" }
            : { en: "An API key must be rotated", zh: "令牌需要轮换" },
        content:
          level === 0
            ? {
                en: "Calls with API key “{{value}}” are refused: its secret is older than the {{value}} days that policy “{{value}}” allows. Rotate it.",
                zh: "令牌「{{value}}」的密钥已超过 {{value}} 天（策略「{{value}}」），调用会被拒绝，请立即轮换。",
              }
            : {
                en: "API key “{{value}}” must be rotated within {{value}} days, as policy “{{value}}” demands. Then its secret is refused.",
                zh: "令牌「{{value}}」须在 {{value}} 天内轮换（策略「{{value}}」），逾期密钥将被拒绝。",
              },
        values: [key.name, level === 0 ? key.days : shortNumber(daysLeft), key.policy],
        path: "/token",
      },
    }));
  });
};
