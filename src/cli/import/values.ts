import { requireRow } from "../../../db/require-row.ts";
import type { Database } from "../../../db/types.ts";
import type { Migration } from "./migration.ts";
import type { SourceRow } from "./source.ts";

/** Text of a column without padding; empty when it is null or there is no such column. */
export function textOf(row: SourceRow, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" && !(value instanceof Date) ? JSON.stringify(value) : String(value);
  // Postgres keeps no zero characters, other databases do.
  return text.replaceAll("\0", "").trim();
}

/** Whole number of a column (drivers read 64-bit integers as number, bigint or text); `missing` when it is null or absent. */
export function integerIn(row: SourceRow, column: string, missing = 0): number {
  const value = row[column];
  if (value === null || value === undefined || value === "") return missing;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number : missing;
}

/** Truth of a column that is a boolean on some databases and 0 or 1 on others. */
export function flagOf(row: SourceRow, column: string, missing = false): boolean {
  const value = row[column];
  if (value === null || value === undefined) return missing;
  return typeof value === "string" ? /^(1|t|true)$/i.test(value) : Boolean(Number(value));
}

/** Epoch seconds of a column with a timestamp or with epoch seconds; null when it is null, zero or absent. */
export function momentOf(row: SourceRow, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return secondsOf(value.getTime());
  const text = String(value);
  return /^\d*$/.test(text) ? Number(text) || null : secondsOf(readTime(text));
}

const secondsOf = (ms: number): number | null => (Number.isFinite(ms) ? Math.floor(ms / 1000) : null);

/** SQLite files hold "2025-03-01 12:00:00.123456789+08:00", sometimes with the zone's name behind it. */
const readTime = (text: string): number =>
  Date.parse(text.replace(/(\.\d{3})\d+/, "$1").replace(/ ?[A-Z]{3,4}( m=.*)?$/, ""));

/** The entries of a comma-separated column, each once. */
export const listOf = (row: SourceRow, column: string): string[] => [
  ...new Set(
    textOf(row, column)
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
];

/** The JSON object in a column; empty when there is none. */
export function objectOf(row: SourceRow, column: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(row, column) || "{}");
    return value && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Quota units; what was overspent at the source is nothing here, where balances end at zero. */
export const balanceOf = (row: SourceRow, column: string): number => Math.max(0, integerIn(row, column));

type FreeIds = Readonly<{
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
