import { and, eq, sql } from "drizzle-orm";
import { importedRows } from "../../../db/schema/settings.ts";
import type { Db, Tx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { inStatements, textArray } from "./migration.ts";

type Kind = "member" | "project" | "budget" | "policy";
type Imported = Readonly<{ key: string; targetId?: number }>;

/** Which of `keys` an earlier import has brought, with their ids here: they may have been changed or removed since. */
export async function findImported(db: Db, kind: Kind, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select()
    .from(importedRows)
    .where(and(eq(importedRows.kind, kind), sql`${importedRows.key} = any(${textArray(keys)}::text[])`));
  return new Map(rows.map(({ key, targetId }) => [key, targetId]));
}

/** Remembers rows that came over, in the transaction that adds them. */
export async function rememberImported(tx: Tx, kind: Kind, rows: readonly Imported[]): Promise<void> {
  const values = rows.map((row) => ({ kind, ...row, importedAt: nowSeconds() }));
  await inStatements(values, (part) => tx.insert(importedRows).values(part).onConflictDoNothing());
}
