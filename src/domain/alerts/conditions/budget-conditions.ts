import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { BudgetScope } from "../../../../db/schema/accounts/organizations/budgets.ts";
import { tokens } from "../../../../db/schema/api-keys.ts";
import type { Db } from "../../../../db/types.ts";
import { listBudgets } from "../../accounts/organizations/budgets/list-budgets.ts";
import { listOrganizations } from "../../accounts/organizations/list-organizations.ts";
import { hasRight } from "../../accounts/organizations/rights.ts";
import type { Notice } from "../../notifications/message.ts";
import { type Condition, dollars, type FindConditions, shortNumber } from "./condition.ts";

const ENABLED = 1;
const EXHAUSTED = 4;
/** Percent of a budget that are reported, from the rule's threshold on. */
const BUDGET_LEVELS = [50, 80, 95, 100];

type Used = Readonly<{ spent: number; limit: number; threshold: number }>;

/** A condition for each level that was passed; the highest is sent. */
function passedLevels(
  { spent, limit, threshold }: Used,
  conditionOf: (percent: number) => Omit<Condition, "severity" | "isQuiet">,
): Condition[] {
  const percent = (100 * spent) / limit;
  const levels = [...new Set([threshold, ...BUDGET_LEVELS.filter((level) => level > threshold)])];
  const passed = levels.filter((level) => percent >= level);
  const { subject, notice } = conditionOf(percent);
  return passed.map((level) => ({
    subject: `${subject}/${level}`,
    severity: level >= 100 ? "error" : "warning",
    isQuiet: level !== passed.at(-1),
    notice,
  }));
}

/** API keys that have used so much of their budget, or of the quota that they were given once. */
export const findUsedBudgets: FindConditions = async (deps, { owner, threshold }) => {
  if (owner === "site") return [];
  const keys = await deps.db
    .select({
      ...{ id: tokens.id, name: tokens.name, budget: tokens.budgetQuota, remains: tokens.remainQuota },
      used: sql<number>`greatest(0, ${tokens.usedQuota} - ${tokens.usedBefore})`.mapWith(Number),
    })
    .from(tokens)
    .where(
      and(
        eq(tokens.userId, owner),
        eq(tokens.unlimitedQuota, false),
        isNull(tokens.deletedAt),
        inArray(tokens.status, [ENABLED, EXHAUSTED]),
      ),
    )
    .orderBy(asc(tokens.id));
  return keys.flatMap(({ id, name, budget, remains, used }) => {
    const texts = budget > 0 ? RENEWING : ONCE;
    const spent = budget > 0 ? budget - remains : used;
    const limit = budget > 0 ? budget : used + remains;
    if (limit <= 0) return [];
    return passedLevels({ spent, limit, threshold }, (percent) => ({
      subject: `key/${id}`,
      notice: {
        type: "key_budget",
        ...texts,
        values: [name, shortNumber(percent), dollars(spent, deps), dollars(limit, deps)],
        path: "/token",
      },
    }));
  });
};

const CONTENT_ZH = "令牌「{{value}}」已使用额度的 {{value}}%：{{value}} / {{value}}。";
const RENEWING: Pick<Notice, "title" | "content"> = {
  title: { en: "An API key's budget is running out", zh: "令牌额度即将用尽" },
  content: {
    en: "API key “{{value}}” has used {{value}}% of its budget: {{value}} of {{value}}.",
    zh: CONTENT_ZH,
  },
};
const ONCE: Pick<Notice, "title" | "content"> = {
  title: { en: "An API key's quota is running out", zh: "令牌额度即将用尽" },
  content: {
    en: "API key “{{value}}” has used {{value}}% of its quota: {{value}} of {{value}}.",
    zh: CONTENT_ZH,
  },
};

/** The organizations whose budgets an owner is warned of: itself, or those in which the person manages them. */
async function findOrganizations(db: Db, owner: number, organization: string | null) {
  if (organization !== null) return [{ id: owner, name: organization }];
  const organizations = await listOrganizations(db, owner);
  return organizations
    .filter(({ role }) => hasRight(role, "budgets.manage"))
    .map(({ id, display_name: displayName, username }) => ({ id, name: displayName || username }));
}

/** Budgets that have been used so much, of an organization, or of those in which a person manages them. */
export const findUsedOrganizationBudgets: FindConditions = async (deps, query) => {
  const { owner, threshold, now } = query;
  if (owner === "site") return [];
  const conditions: Condition[] = [];
  for (const organization of await findOrganizations(deps.db, owner, query.organization)) {
    for (const budget of await listBudgets(deps.db, organization.id, now)) {
      const { id, scope, spent, limit, period_start: start } = budget;
      const used = { spent, limit, threshold };
      const found = passedLevels(used, (percent) => ({
        // Each period is an incident of its own.
        subject: `budget/${id}/${start}`,
        notice: {
          type: "organization_budget",
          title: { en: "A budget of your organization is running out", zh: "组织预算即将用尽" },
          content: BUDGET_TEXTS[scope],
          values: [
            organization.name,
            ...(scope === "organization" ? [] : [budget.name]),
            ...[shortNumber(percent), dollars(spent, deps), dollars(limit, deps)],
          ],
          path: `/organization?organization=${organization.id}&section=budgets`,
        },
      }));
      conditions.push(...found);
    }
  }
  return conditions;
};

const BUDGET_TEXTS: Readonly<Record<BudgetScope, Notice["content"]>> = {
  organization: {
    en: "{{value}} has used {{value}}% of its budget: {{value}} of {{value}}.",
    zh: "组织 {{value}} 已使用预算的 {{value}}%：{{value}} / {{value}}。",
  },
  project: {
    en: "{{value}}: the project “{{value}}” has used {{value}}% of its budget: {{value}} of {{value}}.",
    zh: "组织 {{value}}：项目「{{value}}」已使用预算的 {{value}}%：{{value}} / {{value}}。",
  },
  member: {
    en: "{{value}}: “{{value}}” has used {{value}}% of their budget: {{value}} of {{value}}.",
    zh: "组织 {{value}}：成员「{{value}}」已使用预算的 {{value}}%：{{value}} / {{value}}。",
  },
  key: {
    en: "{{value}}: the API key “{{value}}” has used {{value}}% of its budget: {{value}} of {{value}}.",
    zh: "组织 {{value}}：令牌「{{value}}」已使用预算的 {{value}}%：{{value}} / {{value}}。",
  },
};
