import { and, asc, count, eq, isNull, type SQL } from "drizzle-orm";
import { requireRow } from "../../../db/require-row.ts";
import { alertDestinations, alertIncidents, alertRules } from "../../../db/schema/alerts.ts";
import type { Db, DbOrTx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../lib/operation-error.ts";
import { type AlertOwner, ownedBy } from "./destinations.ts";
import {
  type AlertEvent,
  eventTraits,
  isAlertEvent,
  spenderOf,
  spendPeriodOf,
  thresholdError,
  WINDOW_MINUTES,
  windowError,
} from "./event-rules.ts";

/** A rule as it is sent: which event, from which threshold on, and where its alerts go. */
export type RuleInput = Readonly<{
  event: string;
  /** In the event's unit: percent, seconds, times, quota units or days. */
  threshold: number;
  window_minutes: number;
  /** Of spending: since the beginning of the day (if absent), the week or the month. */
  period?: string;
  /** Of spending: whose; if absent, all together. */
  per?: string;
  /** The only one whose spending is meant, by its name, or the only cause of failures or guardrail; empty: each. */
  subject?: string;
  /** Empty: all destinations. */
  destination_ids: readonly number[];
  enabled: boolean;
}>;

/** A rule on the wire. */
export type RuleView = Omit<RuleInput, "event"> & Readonly<{ id: number; event: AlertEvent }>;

export type RuleRow = typeof alertRules.$inferSelect;

const MOST_RULES = 50;

const ruleOwnedBy = (owner: AlertOwner): SQL =>
  owner === "site" ? isNull(alertRules.userId) : eq(alertRules.userId, owner);

/** All rules of an owner, oldest first. */
export async function listRules(db: DbOrTx, owner: AlertOwner): Promise<RuleView[]> {
  const rows = await db.select().from(alertRules).where(ruleOwnedBy(owner)).orderBy(asc(alertRules.id));
  return rows.flatMap((row) => (isAlertEvent(row.event) ? [viewRule(row, row.event)] : []));
}

/** Writes a new rule, or with an id changes one of the owner. Throws OperationError. */
export async function saveRule(db: Db, owner: AlertOwner, input: RuleInput, id?: number): Promise<RuleView> {
  const { event, ...columns } = readRule(input, owner);
  await checkDestinations(db, owner, columns.destinationIds);
  if (id !== undefined) {
    const [row] = await db
      .update(alertRules)
      .set({ event, ...columns })
      .where(and(ruleOwnedBy(owner), eq(alertRules.id, id)))
      .returning();
    if (!row) throw new OperationError("alert_rule_not_found");
    // Nobody is sent how the incidents of a disabled rule end: when it is enabled again they are new ones.
    if (!row.enabled) await db.delete(alertIncidents).where(eq(alertIncidents.ruleId, id));
    return viewRule(row, event);
  }
  const { total } = requireRow(await db.select({ total: count() }).from(alertRules).where(ruleOwnedBy(owner)));
  if (total >= MOST_RULES) throw new OperationError("alert_rules_full", { max: MOST_RULES });
  const userId = owner === "site" ? null : owner;
  const [row] = await db
    .insert(alertRules)
    .values({ event, ...columns, userId, createdAt: nowSeconds() })
    .returning();
  return viewRule(requireRow([row]), event);
}

/** Deletes an owner's rule with its incidents, and returns it. Throws OperationError when there is none. */
export async function deleteRule(db: Db, owner: AlertOwner, id: number): Promise<RuleView> {
  const [row] = await db
    .delete(alertRules)
    .where(and(ruleOwnedBy(owner), eq(alertRules.id, id)))
    .returning();
  if (!row || !isAlertEvent(row.event)) throw new OperationError("alert_rule_not_found");
  return viewRule(row, row.event);
}

function readRule(input: RuleInput, owner: AlertOwner) {
  const { event, threshold, window_minutes: minutes } = input;
  if (!isAlertEvent(event)) throw new OperationError("alert_event_invalid");
  const { scopes, threshold: limits, hasWindow, isSpending, namedBy } = eventTraits(event);
  if (!scopes.includes(owner === "site" ? "site" : "own")) throw new OperationError("alert_event_invalid");
  throwRuleError(thresholdError(event, threshold), { min: limits?.min ?? 0, max: limits?.max ?? 0 });
  throwRuleError(windowError(event, minutes), { min: WINDOW_MINUTES.min, max: WINDOW_MINUTES.max });
  return {
    event,
    threshold: limits ? threshold : 0,
    windowMinutes: hasWindow ? minutes : 0,
    ...{ period: "", per: "", subject: namedBy ? (input.subject ?? "").trim() : "" },
    ...(isSpending && readSpending(input, owner)),
    destinationIds: [...new Set(input.destination_ids)],
    enabled: input.enabled,
  };
}

function readSpending(input: RuleInput, owner: AlertOwner) {
  const period = spendPeriodOf(input.period ?? "day");
  const per = spenderOf(input.per ?? "total", owner === "site" ? "site" : "own");
  if (!(period && per)) throw new OperationError("alert_spending_invalid");
  return { period, per, subject: per === "total" ? "" : (input.subject ?? "").trim() };
}

async function checkDestinations(db: Db, owner: AlertOwner, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db.select({ id: alertDestinations.id }).from(alertDestinations).where(ownedBy(owner));
  const own = new Set(rows.map(({ id }) => id));
  if (ids.some((id) => !own.has(id))) throw new OperationError("alert_destination_not_found");
}

const viewRule = (row: RuleRow, event: AlertEvent): RuleView => ({
  id: row.id,
  event,
  threshold: row.threshold,
  window_minutes: row.windowMinutes,
  ...(eventTraits(event).namedBy && { subject: row.subject }),
  ...(eventTraits(event).isSpending && { period: row.period, per: row.per, subject: row.subject }),
  destination_ids: row.destinationIds,
  enabled: row.enabled,
});
