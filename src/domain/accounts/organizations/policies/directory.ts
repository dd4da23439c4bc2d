import { asc } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { policies } from "../../../../../db/schema/accounts/organizations/policies.ts";
import type { Db } from "../../../../../db/types.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import { isOneOf } from "../../../../lib/values/sql-text.ts";
import { keepRows } from "../keep-rows.ts";
import { compilePolicy, type PolicyEntry, type PolicySet } from "./policy.ts";

/** Which policies hold for the calls of an account's key or member. */
export type PolicyLookup = Readonly<{
  /** Undefined: none. */
  of(payer: Readonly<{ userId: number; projectId: number }>): PolicySet | undefined;
  all(): Iterable<PolicyEntry>;
}>;

export type PolicyDirectory = PolicyLookup & Readonly<{ close(): void }>;

/** Looks policies up among these. */
export function createPolicyIndex(entries: readonly PolicyEntry[]): PolicyLookup {
  const byOrganization = new Map<number, Map<number, PolicySet>>();
  for (const organizationId of new Set(entries.map((entry) => entry.organizationId))) {
    const own = entries.filter((entry) => entry.organizationId === organizationId);
    const compiled = new Map(own.map((entry) => [entry, compilePolicy(entry)]));
    const setOf = (projectId: number) =>
      own
        .filter((entry) => entry.projectId === 0 || entry.projectId === projectId)
        .flatMap((e) => compiled.get(e) ?? []);
    const projects = new Set([0, ...own.map(({ projectId }) => projectId)]);
    byOrganization.set(organizationId, new Map([...projects].map((id) => [id, setOf(id)])));
  }
  return {
    all: () => entries,
    of({ userId, projectId }) {
      const sets = byOrganization.get(userId);
      const set = sets?.get(projectId) ?? sets?.get(0);
      return set && set.length > 0 ? set : undefined;
    },
  };
}

/** Loads all policies, which are few, and keeps them true. */
export async function createPolicyDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger }>,
): Promise<PolicyDirectory> {
  const { db, changes, log } = deps;
  const read = (ids?: readonly number[]) => readPolicies(db, ids);
  const rows = await keepRows({ changes, log, topic: "policies", read }, createPolicyIndex);
  return { of: (payer) => rows.index.of(payer), all: () => rows.index.all(), close: rows.close };
}

async function readPolicies(db: Db, ids?: readonly number[]): Promise<PolicyEntry[]> {
  const rows = await db
    .select()
    .from(policies)
    .where(ids && isOneOf(policies.id, ids))
    .orderBy(asc(policies.id));
  return rows.map(({ id, organizationId, projectId, name, rules }) => ({
    ...{ id, organizationId, name, rules },
    projectId: projectId ?? 0,
  }));
}
