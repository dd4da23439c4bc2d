import { asc } from "drizzle-orm";
import type { Changes } from "../../../../../db/changes.ts";
import { policies } from "../../../../../db/schema/accounts/policies.ts";
import type { Db } from "../../../../../db/types.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import { createSerial } from "../../../../lib/runtime/serial.ts";
import { compilePolicy, type PolicyEntry, type PolicySet } from "./policy.ts";

/** Which policies hold for the calls of an account's key or member. */
export type PolicyLookup = Readonly<{
  /** Undefined: none. */
  of(payer: Readonly<{ userId: number; projectId: number }>): PolicySet | undefined;
  all(): Iterable<PolicyEntry>;
}>;

export type PolicyDirectory = PolicyLookup & Readonly<{ close(): void }>;

/** A safety net: changes arrive by events. */
const REREAD_MS = 300_000;

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
  const inOrder = createSerial();
  let index = createPolicyIndex([]);
  const readAll = () =>
    inOrder(async () => {
      index = createPolicyIndex(await readPolicies(db));
    });
  await readAll();
  const timer = setInterval(
    () => void readAll().catch((error: unknown) => log.warn({ error }, "policies could not be read again")),
    REREAD_MS,
  );
  timer.unref();
  const unsubscribe = [changes.subscribe("policies", readAll), changes.onGap(readAll)];
  return {
    of: (payer) => index.of(payer),
    all: () => index.all(),
    close() {
      clearInterval(timer);
      for (const end of unsubscribe) end();
    },
  };
}

async function readPolicies(db: Db): Promise<PolicyEntry[]> {
  const rows = await db.select().from(policies).orderBy(asc(policies.id));
  return rows.map(({ id, organizationId, projectId, name, rules }) => ({
    ...{ id, organizationId, name, rules },
    projectId: projectId ?? 0,
  }));
}
