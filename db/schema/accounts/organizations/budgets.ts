import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { epochSeconds, quotaUnits } from "../../columns.ts";
import { users } from "../users.ts";

/** What a budget limits: all of an organization, one of its projects, the keys of one member, or one key. */
export const BUDGET_SCOPES = ["organization", "project", "member", "key"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/**
 * `plan`: calls of an account, a person's too, whose plans allow no overage. The plans keep it equal to what is left of their
 * windows. With the id of a subscription: what is left of a window for some models, from which calls are paid instead of from the
 * balance. `calls`, with the id of a subscription: how many included calls of its window are left; each holds and settles 1.
 */
export type AnyBudgetScope = BudgetScope | "plan" | "calls";

/** When a budget is filled again; `total`: never. */
export const BUDGET_PERIODS = ["day", "week", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What parts of an organization may spend of its balance. The ledger holds and settles `remaining` as it does balances. */
export const budgets = pgTable(
  "budgets",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    organizationId: integer("organization_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    scope: text("scope").$type<AnyBudgetScope>().notNull(),
    /** Id of the project, member or key; 0 for the organization. */
    scopeId: integer("scope_id").notNull(),
    period: text("period").$type<BudgetPeriod>().notNull(),
    /** A hard budget refuses calls; a soft one only notifies. */
    isHard: boolean("is_hard").notNull(),
    limit: quotaUnits("limit_units").notNull(),
    remaining: quotaUnits("remaining").notNull(),
    /** Part of `remaining` that is set aside for calls under way. */
    held: quotaUnits("held").notNull().default(0),
    /** Charged in the running period, also beyond the limit. */
    spent: quotaUnits("spent").notNull().default(0),
    /** Charged after the running period's end, while its next one has not begun. */
    spentAhead: quotaUnits("spent_ahead").notNull().default(0),
    /** Part of `spent` whose log rows are cleared: the books add it. */
    cleared: quotaUnits("cleared").notNull().default(0),
    periodStart: epochSeconds("period_start").notNull(),
    /** When the running period ends; 0: never. */
    renewsAt: epochSeconds("renews_at").notNull().default(0),
    createdAt: epochSeconds("created_at").notNull(),
    deletedAt: epochSeconds("deleted_at"),
  },
  (t) => [
    uniqueIndex("budgets_scope_key")
      .on(t.organizationId, t.scope, t.scopeId, t.period)
      .where(sql`${t.deletedAt} is null`),
    index("budgets_renews_idx").on(t.renewsAt).where(sql`${t.renewsAt} > 0 and ${t.deletedAt} is null`),
    check("budgets_scope_known", sql`${t.scope} in ('organization', 'project', 'member', 'key', 'plan', 'calls')`),
    check("budgets_period_known", sql`${t.period} in ('day', 'week', 'month', 'total')`),
    check("budgets_limit_positive", sql`${t.limit} > 0`),
    check("budgets_remaining_not_negative", sql`${t.remaining} >= 0`),
    check("budgets_held_not_negative", sql`${t.held} >= 0`),
  ],
);

/** What the operator spends on calls that no user is charged for, by purpose and day. Reserved before a call, settled after it. */
export const operatorSpend = pgTable(
  "operator_spend",
  {
    purpose: text("purpose").notNull(),
    /** Days since 1970 in UTC. */
    day: integer("day").notNull(),
    spent: quotaUnits("spent").notNull(),
  },
  (t) => [primaryKey({ columns: [t.purpose, t.day] })],
);
