import { InsufficientQuota } from "../../billing/ledger/errors.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import { amountText } from "../../domain/wallet/amount-text.ts";
import type { PlanTerms } from "../../domain/wallet/plans/limits/terms.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Sentence } from "../../lib/messages.ts";
import type { Caller } from "../call/caller.ts";
import { type GatewayError, ledgerUnavailable, usedUp } from "../call/errors.ts";
import type { Hold, Services } from "../call/services.ts";

/**
 * Holds an amount of quota units; 0 for what costs nothing, which needs no balance. `plan` pays instead of the balance. Rejects
 * GatewayError.
 */
export async function reserveAmount(
  services: Pick<Services, "billing" | "log" | "renewOrganizationBudgets" | "settings">,
  caller: Caller,
  units: number,
  plan?: PlanTerms,
): Promise<Hold> {
  const paidBy = plan?.budgetId ?? null;
  const budgets = budgetsOf(caller, paidBy !== null);
  const due = dueBudgets(budgets);
  if (due.length > 0) await renewBudgets(services, due);
  const token = caller.token && { id: caller.token.id, limited: !caller.token.unlimitedQuota };
  const hard = budgets.filter(({ isHard }) => isHard).map(({ id }) => id);
  try {
    const payer = { userId: caller.user.id, ...(paidBy !== null && { plan: paidBy }) };
    return await services.billing.reserve({ ...payer, token, budgets: hard, amount: units });
  } catch (error) {
    throw refusal(services, error, units, caller, plan);
  }
}

const NO_BUDGETS: readonly BudgetEntry[] = [];

/** The budgets that a call counts in. One that a plan pays does not count in what the other plans of the account have left. */
export const budgetsOf = ({ budgets = NO_BUDGETS }: Caller, isPaidByPlan: boolean): readonly BudgetEntry[] =>
  isPaidByPlan ? budgets.filter(({ scope }) => scope !== "plan") : budgets;

function dueBudgets(budgets: readonly BudgetEntry[]): number[] {
  const now = nowSeconds();
  return budgets.filter(({ renewsAt }) => renewsAt !== 0 && renewsAt <= now).map(({ id }) => id);
}

async function renewBudgets(
  services: Pick<Services, "log" | "renewOrganizationBudgets">,
  ids: readonly number[],
): Promise<void> {
  try {
    await services.renewOrganizationBudgets?.(ids);
  } catch (error) {
    services.log.warn({ error, ids }, "budgets of an organization could not be renewed");
    throw ledgerUnavailable({ code: "gateway_no_organization_budget" });
  }
}

function refusal(
  { settings }: Pick<Services, "settings">,
  error: unknown,
  units: number,
  { budgets, token }: Caller,
  plan: PlanTerms | undefined,
): GatewayError {
  if (!(error instanceof InsufficientQuota)) return ledgerUnavailable({ code: "gateway_no_ledger" });
  const needed = amountOf(settings, units);
  const available = amountOf(settings, Math.max(0, error.availableUnits));
  switch (error.who) {
    case "user":
      return usedUp(
        "insufficient_user_quota",
        { code: "gateway_user_quota", params: { needed, available } },
        "user_quota",
      );
    case "token":
      return usedUp(
        "pre_consume_token_quota_failed",
        { code: "gateway_key_quota", params: { needed, available } },
        "key_quota",
        token?.budgetRenewsAt,
      );
    case "budget": {
      const budget = budgets?.find(({ id }) => id === error.id);
      const scope = plan && error.id === plan.budgetId ? "plan" : budget?.scope;
      const code = scope === "plan" ? "plan_quota_exceeded" : "budget_exceeded";
      const reason = budgetReason(scope, budget?.name ?? "", { needed, available });
      return usedUp(code, reason, "budget", budget?.renewsAt);
    }
  }
}

/** Money in messages, or quota units where the site shows those. */
const amountOf = (settings: Services["settings"], units: number): string | Sentence =>
  settings.get("DisplayInCurrencyEnabled")
    ? amountText(settings, units)
    : { code: "gateway_quota_units", params: { count: units } };

/** Names the budget that refuses a call. */
function budgetReason(
  scope: BudgetEntry["scope"] | undefined,
  project: string,
  params: Readonly<{ needed: string | Sentence; available: string | Sentence }>,
): Sentence {
  switch (scope) {
    case "key":
      return { code: "gateway_budget_key", params };
    case "member":
      return { code: "gateway_budget_member", params };
    case "project":
      return { code: "gateway_budget_project", params: { ...params, project } };
    case "plan":
      return { code: "gateway_budget_plan", params };
    default:
      return { code: "gateway_budget_organization", params };
  }
}
