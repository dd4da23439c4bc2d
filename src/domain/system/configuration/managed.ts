import { and, eq, inArray, or, sql } from "drizzle-orm";
import { managedResources } from "../../../../db/schema/settings.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { KindName } from "./document.ts";

/** A resource that files manage. */
export type Managed = Readonly<{
  section: KindName;
  name: string;
  /** Its row; 0: it has none of its own. */
  targetId: number;
  label: string;
  /** A file made it. */
  isMade: boolean;
}>;

/** The resources that files manage, of one label or all. */
export async function listManaged(db: DbOrTx, label?: string): Promise<Managed[]> {
  const rows = await db
    .select()
    .from(managedResources)
    .where(label === undefined ? undefined : eq(managedResources.label, label))
    .orderBy(managedResources.kind, managedResources.name);
  return rows.map(({ kind, name, targetId, label: own, isMade }) => ({
    ...{ section: kind as KindName, name, targetId, isMade },
    label: own,
  }));
}

const SLICE = 500;

/** Notes who manages these resources from now on. Those of the label that made one made it still. */
export async function noteManaged(db: DbOrTx, resources: readonly Managed[]): Promise<void> {
  const appliedAt = nowSeconds();
  for (let at = 0; at < resources.length; at += SLICE) {
    const rows = resources.slice(at, at + SLICE).map(({ section, ...row }) => ({ ...row, kind: section, appliedAt }));
    await db
      .insert(managedResources)
      .values(rows)
      .onConflictDoUpdate({
        target: [managedResources.kind, managedResources.name],
        set: {
          ...{ targetId: sql`excluded.target_id`, label: sql`excluded.label`, appliedAt },
          isMade: sql`excluded.is_made or (${managedResources.isMade} and ${managedResources.label} = excluded.label)`,
        },
      });
  }
}

/** Files manage these resources no more. */
export async function forgetManaged(db: DbOrTx, section: KindName, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db
    .delete(managedResources)
    .where(and(eq(managedResources.kind, section), inArray(managedResources.name, [...names])));
}

/** Which resources a change is about: by their rows or by what files call them. */
export type Target = Readonly<{ section: KindName; ids?: readonly number[]; names?: readonly string[] | "any" }>;

/** Refuses a change of what files manage. Throws OperationError. */
export async function refuseManaged(db: DbOrTx, targets: readonly Target[]): Promise<void> {
  for (const { section, ids = [], names = [] } of targets) {
    const isMeant =
      names === "any"
        ? undefined
        : or(inArray(managedResources.targetId, [...ids]), inArray(managedResources.name, [...names]));
    const [found] = await db
      .select({ name: managedResources.name, label: managedResources.label })
      .from(managedResources)
      .where(and(eq(managedResources.kind, section), isMeant))
      .limit(1);
    if (found) throw new OperationError("managed_by_files", found, { status: 409 });
  }
}
