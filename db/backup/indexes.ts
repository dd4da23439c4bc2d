import type { Statements } from "../types.ts";
import { quoted } from "./format.ts";

/** Tables with a row for each call, hour, key or user. For others, two statements cost more than they save. */
const LARGE = ["logs", "usage_rollups", "usage_days", "usage_totals", "unlogged_calls", "tokens", "users"];

/**
 * Drops foreign keys, and all keys and indexes of large tables, and returns what makes them again, in order: filling a table and then sorting takes a fraction of
 * the time of keeping its indexes with each row, and rows may refer to rows that are yet to come.
 */
export async function dropIndexes(tx: Statements): Promise<string[]> {
  const constraints = await tx<{ name: string; table: string; type: string; definition: string }[]>`
    select conname as name, conrelid::regclass::text as "table", contype::text as type, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where (contype = 'f' or contype in ('p', 'u') and conrelid::regclass::text = any(${LARGE})) and connamespace = 'public'::regnamespace and conparentid = 0
    order by contype = 'f' desc, oid`;
  for (const { name, table } of constraints) await tx.unsafe(`alter table ${table} drop constraint ${quoted(name)}`);
  const indexes = await tx<{ name: string; definition: string }[]>`
    select c.relname::text as name, pg_get_indexdef(c.oid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and i.indrelid::regclass::text = any(${LARGE}) order by c.relname`;
  for (const { name } of indexes) await tx.unsafe(`drop index ${quoted(name)}`);
  const addAll = (isForeign: boolean) =>
    constraints
      .filter(({ type }) => (type === "f") === isForeign)
      .map(({ name, table, definition }) => `alter table ${table} add constraint ${quoted(name)} ${definition}`);
  // As it stands there, the index of a partitioned table would be made without those of its partitions.
  const indexing = indexes.map(({ definition }) => definition.replace(" ON ONLY ", " ON "));
  return [...addAll(false), ...indexing, ...addAll(true)];
}
