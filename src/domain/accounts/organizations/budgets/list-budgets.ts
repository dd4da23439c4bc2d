import { and, asc, eq, isNull } from "drizzle-orm";
import {
  type BudgetPeriod,
  type BudgetScope,
  budgets,
} from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import type { Db } from "../../../../../db/types.ts";

/** A budget as members see it; amounts in quota units, times in epoch seconds. */
export type BudgetView = Readonly<{
  id: number;
  scope: BudgetScope;
  scope_id: number;
  /** Of the project, member or key; empty for the organization, and where it is gone. */
  name: string;
  period: BudgetPeriod;
  is_hard: boolean;
  limit: number;
  spent: number;
  /** Set aside for calls under way. */
  held: number;
  period_start: number;
  /** 0: never. */
  renews_at: number;
  /** What will have been spent when the period ends, at the pace of this period; null: too early to say. */
  forecast: number | null;
  /** When the limit is reached at that pace; null: not in this period. */
  runs_out_at: number | null;
}>;

/** The budgets of an organization, widest scope first. The caller has checked the right to see them. */
export async function listBudgets(db: Db, organizationId: number, now: number): Promise<BudgetView[]> {
  const rows = await db
    .select({ budget: budgets, project: projects.name, member: users.username, key: tokens.name })
    .from(budgets)
    .leftJoin(projects, and(eq(budgets.scope, "project"), eq(projects.id, budgets.scopeId)))
    .leftJoin(users, and(eq(budgets.scope, "member"), eq(users.id, budgets.scopeId)))
    .leftJoin(tokens, and(eq(budgets.scope, "key"), eq(tokens.id, budgets.scopeId), isNull(tokens.deletedAt)))
    .where(and(eq(budgets.organizationId, organizationId), isNull(budgets.deletedAt)))
    .orderBy(asc(budgets.id));
  const views = rows.flatMap(({ budget, project, member, key }): BudgetView[] => {
    const { scope } = budget;
    // Those follow plans and are no one's to change.
    if (scope === "plan" || scope === "calls") return [];
    const { forecast, runsOutAt } = forecastBudget(budget, now);
    const view = {
      id: budget.id,
      scope,
      scope_id: budget.scopeId,
      name: project ?? member ?? key ?? "",
      period: budget.period,
      is_hard: budget.isHard,
      limit: budget.limit,
      spent: budget.spent,
      held: budget.held,
      period_start: budget.periodStart,
      renews_at: budget.renewsAt,
      forecast,
      runs_out_at: runsOutAt,
    };
    return [view];
  });
  return views.sort((a, b) => WIDEST_FIRST[a.scope] - WIDEST_FIRST[b.scope]);
}

const WIDEST_FIRST: Readonly<Record<BudgetScope, number>> = { organization: 0, project: 1, member: 2, key: 3 };

/** A budget's running period; amounts in quota units, times in epoch seconds. */
type Spending = Readonly<{ limit: number; spent: number; periodStart: number; renewsAt: number }>;

/** A pace over less than an hour says nothing. */
const LEAST_ELAPSED_S = 3600;

/**
 * What will have been spent when the period ends, and when the limit is reached, both at the pace of the period so far. Null:
 * too early to say, or it does not happen in this period.
 */
export function forecastBudget(
  { limit, spent, periodStart, renewsAt }: Spending,
  now: number,
): Readonly<{ forecast: number | null; runsOutAt: number | null }> {
  const elapsed = now - periodStart;
  if (elapsed < LEAST_ELAPSED_S) return { forecast: null, runsOutAt: null };
  const perSecond = spent / elapsed;
  const forecast = renewsAt === 0 ? null : Math.round(spent + perSecond * Math.max(0, renewsAt - now));
  if (spent >= limit || perSecond === 0) return { forecast, runsOutAt: null };
  const runsOutAt = Math.round(now + (limit - spent) / perSecond);
  return { forecast, runsOutAt: renewsAt !== 0 && runsOutAt >= renewsAt ? null : runsOutAt };
}
