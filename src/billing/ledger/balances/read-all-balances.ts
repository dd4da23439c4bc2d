import { requireRow } from "../../../../db/require-row.ts";
import type { Sql } from "../../../../db/types.ts";
import { BALANCES, type Subject } from "../subject.ts";

const ENTRY = "\n";
const FIELD = " ";

/** Rows a query, and the rest between two of them. */
export type Pace = Readonly<{ rows: number; pauseMs: number }>;

/**
 * Reads the balances of all accounts of a subject in pages; of API keys only those with a limit of their own. The database
 * writes a page as one text, which costs both sides a fraction of what rows do. Ends early, and answers false, once
 * `isCanceled` says so. Rejects when the database does not answer.
 */
export async function readAllBalances(
  sql: Sql,
  subject: Subject,
  { rows, pauseMs }: Pace,
  { put, isCanceled }: Readonly<{ put(id: number, quota: number, held: number): void; isCanceled(): boolean }>,
): Promise<boolean> {
  const { table, quota } = BALANCES[subject];
  const limited = subject === "token" ? sql`and not unlimited_quota` : sql``;
  for (let last = 0; ; ) {
    const page = requireRow(
      await sql<{ count: number; text: string | null }[]>`
      select count(*)::integer as count, string_agg(concat_ws(${FIELD}, id, quota, held), ${ENTRY} order by id) as text
      from (
        select id, ${sql(quota)} as quota, held from ${sql(table)}
        where id > ${last} and deleted_at is null ${limited} order by id limit ${rows}
      ) page`,
    );
    if (isCanceled()) return false;
    for (const entry of page.text?.split(ENTRY) ?? []) {
      const [id, units, held] = entry.split(FIELD).map(Number);
      if (id === undefined || units === undefined || held === undefined)
        throw new Error(`unreadable balance: ${entry}`);
      put(id, units, held);
      last = id;
    }
    if (page.count < rows) return true;
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
}
