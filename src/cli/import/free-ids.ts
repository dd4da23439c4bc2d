import { requireRow } from "../../../db/require-row.ts";
import type { Database } from "../../../db/types.ts";
import type { Migration } from "./migration.ts";

export type FreeIds = Readonly<{
  /** Each wanted id → itself where it is free, else a new one. */
  assign(requested: readonly number[]): Promise<Map<number, number>>;
  /** Lets the table's own numbering go on behind the highest id. */
  finish(): Promise<void>;
}>;

type Numbered = "users" | "tokens" | "channels" | "redemption_codes";

/** Ids for rows that come over: their own where nobody has them here. New ones lie above all ids of both sides. */
export async function createFreeIds(migration: Migration, from: string, table: Numbered): Promise<FreeIds> {
  const { database, source, isDry } = migration;
  const { sql } = database;
  let next = Math.max(await highestHere(database, table), await source.highestId(from)) + 1;
  return {
    async assign(requested) {
      const rows = await sql.unsafe<{ id: number }[]>(
        `select id from ${table} where id in (select unnest($1::text::int[]))`,
        [`{${requested.join(",")}}`],
      );
      const taken = new Set(rows.map(({ id }) => id));
      return new Map(requested.map((id) => [id, id < 1 || taken.has(id) ? next++ : id]));
    },
    async finish() {
      if (!isDry) await sql.unsafe(`select setval(pg_get_serial_sequence('${table}', 'id'), ${next - 1})`);
    },
  };
}

async function highestHere({ sql }: Database, table: Numbered): Promise<number> {
  const row = requireRow(
    await sql.unsafe<{ highest: number }[]>(
      `select greatest((select max(id) from ${table}), (select last_value from ${table}_id_seq))::int as highest`,
    ),
  );
  return row.highest ?? 1;
}
