import { and, asc, eq, isNull, lt, or } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { alertIncidents, alertRules } from "../../../db/schema/alerts.ts";
import type { DbOrTx } from "../../../db/types.ts";
import { type Alert, storedAlert } from "./alert.ts";
import type { Alerter } from "./alerter.ts";
import { findDueRotations, findLowBalance, findUnusedKeys } from "./conditions/account-conditions.ts";
import { findUsedBudgets, findUsedOrganizationBudgets } from "./conditions/budget-conditions.ts";
import type { Condition, ConditionDeps, FindConditions } from "./conditions/condition.ts";
import { findFailures } from "./conditions/failure-conditions.ts";
import { findGuardrails } from "./conditions/guardrail-conditions.ts";
import { findLeakedKeys } from "./conditions/leak-conditions.ts";
import { findEndingPlans, findPaymentReports } from "./conditions/plan-conditions.ts";
import {
  findDisabledChannels,
  findLostJournals,
  findLowChannelBalances,
  findPriceChanges,
  findSuspiciousChannels,
} from "./conditions/site-conditions.ts";
import { findSpending } from "./conditions/spending-conditions.ts";
import { findErrorRate, findSlowCalls, findSpendAnomaly } from "./conditions/traffic-conditions.ts";
import type { AlertOwner } from "./destinations.ts";
import { type AlertEvent, eventTraits, isAlertEvent, spenderOf, spendPeriodOf } from "./event-rules.ts";
import type { RuleRow } from "./rules.ts";

type EvaluateDeps = ConditionDeps & Readonly<{ alerter: Pick<Alerter, "dispatch"> }>;

const FINDERS: Readonly<Record<AlertEvent, FindConditions>> = {
  channel_disabled: findDisabledChannels,
  channel_suspicious: findSuspiciousChannels,
  channel_balance_low: findLowChannelBalances,
  journal_lost: findLostJournals,
  error_rate: findErrorRate,
  failures: findFailures,
  guardrails: findGuardrails,
  latency_p95: findSlowCalls,
  spend_anomaly: findSpendAnomaly,
  spending: findSpending,
  price_change: findPriceChanges,
  balance_low: findLowBalance,
  key_budget: findUsedBudgets,
  organization_budget: findUsedOrganizationBudgets,
  plan_ending: findEndingPlans,
  payment_report: findPaymentReports,
  key_leaked: findLeakedKeys,
  key_rotation: findDueRotations,
  key_unused: findUnusedKeys,
};

const ACTIVE = 1;
const RETENTION_SECONDS = 30 * 86_400;

/**
 * Evaluates all rules: what is found for the first time is sent, and again when it is over. `now` in epoch seconds. Ends early when `signal` is aborted.
 */
export async function evaluateRules(deps: EvaluateDeps, now: number, signal?: AbortSignal): Promise<void> {
  const rows = await deps.db
    .select({ rule: alertRules, kind: users.kind, username: users.username, displayName: users.displayName })
    .from(alertRules)
    .leftJoin(users, eq(users.id, alertRules.userId))
    .where(
      and(
        eq(alertRules.enabled, true),
        or(isNull(alertRules.userId), and(eq(users.status, ACTIVE), isNull(users.deletedAt))),
      ),
    )
    .orderBy(asc(alertRules.id));
  for (const { rule, kind, username, displayName } of rows) {
    if (signal?.aborted) return;
    await evaluateRule(deps, rule, kind === "organization" ? displayName || username : null, now);
  }
  await deps.db.delete(alertIncidents).where(lt(alertIncidents.resolvedAt, now - RETENTION_SECONDS));
}

async function evaluateRule(
  deps: EvaluateDeps,
  rule: RuleRow,
  organization: string | null,
  now: number,
): Promise<void> {
  if (!isAlertEvent(rule.event)) return;
  const { threshold, windowMinutes, subject, createdAt: since } = rule;
  const owner: AlertOwner = rule.userId ?? "site";
  const per = spenderOf(rule.per, owner === "site" ? "site" : "own") ?? "total";
  const spending = { per, period: spendPeriodOf(rule.period) ?? "day", subject };
  const { isMomentary, isSpending, namedBy } = eventTraits(rule.event);
  const query = {
    ...{ owner, organization, threshold, windowMinutes, now, since },
    ...(isSpending && { spending }),
    ...(namedBy && { name: subject }),
  };
  const conditions = (await FINDERS[rule.event](deps, query)).map((condition) => inNameOf(organization, condition));
  const open = await deps.db
    .select()
    .from(alertIncidents)
    .where(and(eq(alertIncidents.ruleId, rule.id), isNull(alertIncidents.resolvedAt)))
    .orderBy(asc(alertIncidents.id));
  const known = new Set(open.map(({ subject }) => subject));
  const current = new Set(conditions.map(({ subject }) => subject));
  for (const condition of conditions.filter(({ subject }) => !known.has(subject))) {
    await openIncident(deps, rule, owner, condition, now);
  }
  for (const { id, alert, isQuiet } of open.filter(({ subject }) => !current.has(subject))) {
    const resolved: Alert = { ...storedAlert(alert), state: "resolved", at: now };
    const close = (tx: DbOrTx) => closeIncident(tx, id, now);
    if (isQuiet || isMomentary) await close(deps.db);
    else await deps.alerter.dispatch(owner, resolved, { destinationIds: rule.destinationIds, claim: close });
  }
}

/** A condition with the organization's name in its title: the people of a chat may be in several. */
function inNameOf(organization: string | null, condition: Condition): Condition {
  if (organization === null) return condition;
  const { en, zh } = condition.notice.title;
  return {
    ...condition,
    notice: { ...condition.notice, title: { en: `${organization}: ${en}`, zh: `${organization}：${zh}` } },
  };
}

async function openIncident(
  deps: EvaluateDeps,
  rule: RuleRow,
  owner: AlertOwner,
  { subject, severity, notice, isQuiet = false }: Condition,
  now: number,
): Promise<void> {
  // The time distinguishes incidents about the same thing: services that remember a key would not wake anybody up again.
  const key = `${rule.event}/${rule.id}/${subject}/${now}`;
  const alert = { key, state: "firing" as const, severity, notice, at: now };
  const open = async (tx: DbOrTx): Promise<boolean> => {
    const opened = await tx
      .insert(alertIncidents)
      .values({ ruleId: rule.id, subject, alert, isQuiet, startedAt: now })
      .onConflictDoNothing()
      .returning({ id: alertIncidents.id });
    return opened.length > 0;
  };
  if (isQuiet) await open(deps.db);
  else await deps.alerter.dispatch(owner, alert, { destinationIds: rule.destinationIds, claim: open });
}

async function closeIncident(db: DbOrTx, id: number, now: number): Promise<boolean> {
  const closed = await db
    .update(alertIncidents)
    .set({ resolvedAt: now })
    .where(and(eq(alertIncidents.id, id), isNull(alertIncidents.resolvedAt)))
    .returning({ id: alertIncidents.id });
  return closed.length > 0;
}
