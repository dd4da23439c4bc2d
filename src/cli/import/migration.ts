import { and, eq, sql } from "drizzle-orm";
import { importedRows } from "../../../db/schema/settings.ts";
import type { Database, Db, Tx } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { Family } from "./coverage/detect-family.ts";
import type { Report } from "./report.ts";
import type { Source } from "./source.ts";

/** What every step of an import works with. */
export type Migration = Readonly<{
  source: Source;
  family: Family;
  database: Database;
  vault: Vault;
  /** Read and report, write nothing. */
  isDry: boolean;
  report: Report;
}>;

/** Ids at the source → ids here. */
export type IdMap = ReadonlyMap<number, number>;

const ROWS_A_STATEMENT = 500;

/** Calls `insert` with parts of `rows` that fit into one statement. */
export async function inStatements<T>(rows: readonly T[], insert: (part: T[]) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    await insert(rows.slice(start, start + ROWS_A_STATEMENT));
  }
}

/** Texts as the literal of a text[] parameter. */
export const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;

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
