import { and, count, eq, isNull, notInArray, sql } from "drizzle-orm";
import { requireRow } from "../../../../../db/require-row.ts";
import {
  type AnyBudgetScope,
  type BudgetPeriod,
  type BudgetScope,
  budgets,
} from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import type { Tx } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { periodEnd } from "../../../../lib/values/calendar-period.ts";
import { findRole, lockForChange, requireOrganizations } from "../membership.ts";
import { type OrganizationDeps, type Person, writeOrganizationLog } from "../operation.ts";

/** How much may be spent in a period; `limit` in quota units. */
export type BudgetLimit = Readonly<{ limit: number; isHard: boolean }>;

/** What a new budget limits. `scopeId`: id of the project, member or key; 0 for the organization. */
export type BudgetTarget = Readonly<{ scope: BudgetScope; scopeId: number; period: BudgetPeriod }>;

/** The largest limit, far above any balance: sums of it stay exact. */
const MAX_LIMIT = 1_000_000_000_000_000;
/** Budgets of one organization. */
const MOST_BUDGETS = 5000;

/**
 * Creates a budget, which counts from now on; returns its id. Throws OperationError: a limit that is no positive whole
 * number, a target of another organization, or a second budget for the same target and period.
 */
export async function createBudget(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  organizationId: number,
  input: BudgetTarget & BudgetLimit,
): Promise<number> {
  requireOrganizations(settings);
  requireLimit(input.limit);
  const id = await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "budgets.manage");
    await requireTarget(tx, organizationId, input);
    const created = await insertBudget(tx, settings, person, organizationId, input);
    if (created === null) throw new OperationError("budget_exists");
    return created;
  });
  await changes.enforce("budgets", [id]);
  return id;
}

/**
 * Writes a budget of a target that is known to be the organization's; returns its id, null where the target has one for the period.
 * The caller has locked the organization, and enforces the budget afterwards. Throws OperationError.
 */
export async function insertBudget(
  tx: Tx,
  settings: OrganizationDeps["settings"],
  by: Pick<Person, "id" | "username">,
  organizationId: number,
  input: BudgetTarget & BudgetLimit,
): Promise<number | null> {
  const { scope, scopeId, period, limit, isHard } = input;
  const now = nowSeconds();
  const renewsAt = period === "total" ? 0 : periodEnd(sql`${period}::text`, settings.get("CheckInTimeZone"), now);
  const { existing } = requireRow(
    await tx
      .select({ existing: count() })
      .from(budgets)
      .where(and(eq(budgets.organizationId, organizationId), isNull(budgets.deletedAt))),
  );
  if (existing >= MOST_BUDGETS) throw new OperationError("budget_too_many", { max: MOST_BUDGETS });
  const [row] = await tx
    .insert(budgets)
    .values({
      ...{ organizationId, scope, scopeId, period, limit, isHard, remaining: limit },
      ...{ periodStart: now, renewsAt: sql`${renewsAt}`, createdAt: now },
    })
    .onConflictDoNothing()
    .returning({ id: budgets.id });
  if (!row) return null;
  await writeOrganizationLog(tx, organizationId, by, {
    content: `${by.username} set a budget (${scope} ${scopeId}, ${period})`,
    note: { code: "organization_budget_created", params: { by: by.username, id: row.id } },
    action: "create",
    projectId: projectOf(input),
    after: { budget_id: row.id, scope, scope_id: scopeId, period, limit, is_hard: isHard },
  });
  return row.id;
}

/** Changes the limit of a budget; what was spent of the running period stays spent. Throws OperationError. */
export async function changeBudget(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: Readonly<{ organizationId: number; id: number }>,
  { limit, isHard }: BudgetLimit,
): Promise<void> {
  requireOrganizations(settings);
  requireLimit(limit);
  await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "budgets.manage");
    const before = await lockBudget(tx, organizationId, id);
    const remaining = Math.max(0, limit - before.spent);
    await tx.update(budgets).set({ limit, isHard, remaining }).where(eq(budgets.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} changed the budget #${id}`,
      note: { code: "organization_budget_changed", params: { by: person.username, id } },
      action: "update",
      projectId: projectOf(before),
      before: { limit: before.limit, is_hard: before.isHard },
      after: { limit, is_hard: isHard },
    });
  });
  await changes.enforce("budgets", [id]);
}

/** Deletes a budget: from now on it limits nothing. Throws OperationError. */
export async function deleteBudget(
  { db, changes, settings }: OrganizationDeps,
  person: Person,
  { organizationId, id }: Readonly<{ organizationId: number; id: number }>,
): Promise<void> {
  requireOrganizations(settings);
  await db.transaction(async (tx) => {
    await lockForChange(tx, organizationId, person, "budgets.manage");
    const { scope, scopeId, period, limit } = await lockBudget(tx, organizationId, id);
    // The row stays: charges of calls under way still find it.
    await tx.update(budgets).set({ deletedAt: nowSeconds(), renewsAt: 0 }).where(eq(budgets.id, id));
    await writeOrganizationLog(tx, organizationId, person, {
      content: `${person.username} deleted the budget #${id}`,
      note: { code: "organization_budget_deleted", params: { by: person.username, id } },
      action: "delete",
      projectId: projectOf({ scope, scopeId }),
      before: { scope, scope_id: scopeId, period, limit },
    });
  });
  await changes.enforce("budgets", [id]);
}

const projectOf = ({ scope, scopeId }: Readonly<{ scope: AnyBudgetScope; scopeId: number }>): number | null =>
  scope === "project" ? scopeId : null;

/** Throws OperationError unless a budget may have the limit, in quota units. */
export function requireLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit <= 0 || limit > MAX_LIMIT) throw new OperationError("budget_limit_invalid");
}

async function lockBudget(tx: Tx, organizationId: number, id: number) {
  const [row] = await tx
    .select()
    .from(budgets)
    .where(
      and(
        ...[eq(budgets.id, id), eq(budgets.organizationId, organizationId)],
        ...[notInArray(budgets.scope, ["plan", "calls"]), isNull(budgets.deletedAt)],
      ),
    )
    .for("update");
  if (!row) throw new OperationError("budget_not_found", {}, { status: 404 });
  return row;
}

/** Throws OperationError unless the target belongs to the organization. */
async function requireTarget(tx: Tx, organizationId: number, { scope, scopeId }: BudgetTarget): Promise<void> {
  const isKnown = await belongsTo(tx, organizationId, scope, scopeId);
  if (!isKnown) throw new OperationError("budget_target_unknown");
}

async function belongsTo(tx: Tx, organizationId: number, scope: BudgetScope, id: number): Promise<boolean> {
  switch (scope) {
    case "organization":
      return id === 0;
    case "member":
      return (await findRole(tx, organizationId, id)) !== null;
    case "project": {
      const mine = and(eq(projects.id, id), eq(projects.organizationId, organizationId));
      return (await tx.select({ id: projects.id }).from(projects).where(mine)).length > 0;
    }
    case "key": {
      const mine = and(eq(tokens.id, id), eq(tokens.userId, organizationId), isNull(tokens.deletedAt));
      return (await tx.select({ id: tokens.id }).from(tokens).where(mine)).length > 0;
    }
  }
}
