import type { Statements } from "../types.ts";

export type Table = Readonly<{
  name: string;
  columns: readonly string[];
  /** Columns of the primary key, in its order. */
  key: readonly string[];
}>;

/**
 * Not carried: a restored backup must not revive sessions that were ended, or codes that were used. (Holds and the
 * processes that took them are carried: their leases run out, and what they held is released.)
 */
const LEFT_OUT = ["sessions", "verification_codes"];

/** Every table of the product, the log last. Rows of its partitions are read through it. */
export async function listTables(sql: Statements): Promise<{ carried: Table[]; all: string[] }> {
  const rows = await sql<{ name: string; columns: string[]; key: string[] | null }[]>`
    select c.relname::text as name,
      (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select array_agg(a.attname::text order by k.place) from pg_index i, unnest(i.indkey) with ordinality k(attnum, place)
        join pg_attribute a on a.attnum = k.attnum
        where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid) as key
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname = 'logs', c.relname`;
  const tables = rows.map(({ name, columns, key }) => ({ name, columns, key: key ?? columns }));
  return {
    carried: tables.filter(({ name }) => !LEFT_OUT.includes(name)),
    all: tables.map(({ name }) => name),
  };
}

/** A name as it stands in a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quotedList = (names: readonly string[]): string => names.map(quoted).join(", ");

/** A backup takes as long as it takes, on the server's side too, also while its file is written between two statements. */
export async function liftTimeouts(tx: Statements): Promise<void> {
  await tx.unsafe("set local statement_timeout = 0");
  await tx.unsafe("set local idle_in_transaction_session_timeout = 0");
}
