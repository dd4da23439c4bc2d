import { and, asc, eq, isNull, ne } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import {
  type AnyBudgetScope,
  type BudgetPeriod,
  budgets,
} from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import type { Db } from "../../../../../db/types.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { keepRows } from "../keep-rows.ts";

/** A budget as calls need it; what is left of it lives in the ledger. */
export type BudgetEntry = Readonly<{
  id: number;
  organizationId: number;
  scope: AnyBudgetScope;
  scopeId: number;
  /** Name of the project; empty for other scopes. */
  name: string;
  period: BudgetPeriod;
  isHard: boolean;
  /** Epoch seconds; 0: never. */
  renewsAt: number;
}>;

/** What decides in which budgets a call counts; 0: none. */
export type BudgetPayer = Readonly<{ id: number; userId: number; projectId: number; createdBy: number }>;

/** Which budgets exist, and which of them a call counts in. */
export type BudgetLookup = Readonly<{
  /** The accounts with budgets: the keys of others count in none. */
  accounts: Readonly<{ has(id: number): boolean }>;
  /** The budgets of a key, the narrowest first: those of its organization, and what plans of its account allow. */
  of(payer: BudgetPayer): readonly BudgetEntry[];
  all(): Iterable<BudgetEntry>;
}>;

export type BudgetDirectory = BudgetLookup & Readonly<{ close(): void }>;

const NO_BUDGETS: readonly BudgetEntry[] = [];

/** The order in which all processes hold them, so that none waits for what another holds that waits for it. */
const ORDER: readonly Exclude<AnyBudgetScope, "calls">[] = ["key", "member", "project", "organization", "plan"];

/** Looks budgets up among these, in `byOrganization`, which is filled with them alone. */
export function createBudgetIndex(
  entries: Iterable<BudgetEntry>,
  byOrganization = new Map<number, Map<string, BudgetEntry[]>>(),
): BudgetLookup {
  const byId = new Map<number, BudgetEntry>();
  byOrganization.clear();
  for (const entry of [...entries].sort((a, b) => a.id - b.id)) {
    byId.set(entry.id, entry);
    const scopes = byOrganization.get(entry.organizationId) ?? new Map<string, BudgetEntry[]>();
    byOrganization.set(entry.organizationId, scopes);
    const key = scopeKey(entry.scope, entry.scopeId);
    scopes.set(key, [...(scopes.get(key) ?? []), entry]);
  }
  return {
    accounts: byOrganization,
    all: () => byId.values(),
    of({ id, userId, projectId, createdBy }) {
      const scopes = byOrganization.get(userId);
      if (!scopes) return NO_BUDGETS;
      const ids = { key: id, member: createdBy, project: projectId, organization: 0, plan: 0 };
      return ORDER.flatMap((scope) => scopes.get(scopeKey(scope, ids[scope])) ?? NO_BUDGETS);
    },
  };
}

const scopeKey = (scope: AnyBudgetScope, id: number): string => `${scope}/${id}`;

/** Loads all budgets, which are few, and keeps them true. */
export async function createBudgetDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger }>,
): Promise<BudgetDirectory> {
  const { db, changes, log } = deps;
  const read = (ids?: readonly number[]) => readEntries(db, ids);
  const byOrganization = new Map<number, Map<string, BudgetEntry[]>>();
  const { accounts, of } = createBudgetIndex([], byOrganization);
  const rows = await keepRows({ changes, log, topic: "budgets", read }, (entries: readonly BudgetEntry[]) =>
    createBudgetIndex(entries, byOrganization),
  );
  return { accounts, of, all: () => rows.index.all(), close: rows.close };
}

async function readEntries(db: Db, ids?: readonly number[]): Promise<BudgetEntry[]> {
  const rows = await db
    .select({ budget: budgets, name: projects.name })
    .from(budgets)
    .leftJoin(projects, eq(projects.id, budgets.scopeId))
    // Included calls pay for themselves: no other call counts in them.
    .where(and(isNull(budgets.deletedAt), ne(budgets.scope, "calls"), ids && isOneOf(budgets.id, ids)))
    .orderBy(asc(budgets.id));
  return rows.map(({ budget, name }) => ({
    id: budget.id,
    organizationId: budget.organizationId,
    scope: budget.scope,
    scopeId: budget.scopeId,
    name: budget.scope === "project" ? (name ?? "") : "",
    period: budget.period,
    isHard: budget.isHard,
    renewsAt: budget.renewsAt,
  }));
}
