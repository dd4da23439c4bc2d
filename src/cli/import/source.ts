import { Database as SqliteFile } from "bun:sqlite";
import { existsSync } from "node:fs";
import { SQL } from "bun";
import { requireRow } from "../../../db/require-row.ts";
import type { AsCaller } from "../../lib/runtime/data-dir-owner.ts";
import { messageOf } from "../../lib/runtime/error-message.ts";

/** A row as the source's driver reads it: see values.ts for what may stand in a column. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** The database of another gateway, which is only read. */
export type Source = Readonly<{
  /** Names of a table's columns; empty when there is no such table. */
  columns(table: string): Promise<ReadonlySet<string>>;
  /** All rows of a small table without ids. */
  all(table: string): Promise<SourceRow[]>;
  /** The rows of a table in the order of their ids, in slices. */
  slices(table: string): AsyncGenerator<SourceRow[]>;
  /** The highest id of a table; 0 when it is empty. */
  highestId(table: string): Promise<number>;
  close(): Promise<void>;
}>;

/** The source cannot be read; the message says what to do. */
export class SourceError extends Error {
  override name = "SourceError";
}

const ROWS_A_SLICE = 10_000;

type Query = (statement: string) => Promise<SourceRow[]>;

/**
 * Opens a SQLite file, or the database at a mysql:// or postgres:// address. `asCaller` opens the file where this process acts as
 * another user than its owner. Throws SourceError.
 */
export async function openSource(address: string, asCaller: AsCaller = (run) => run()): Promise<Source> {
  const scheme = /^([a-z]+):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return asCaller(() => openFile(address));
  if (scheme === "mysql" || scheme === "mariadb") return openServer(address.replace(/^\w+/, "mysql"), "mysql");
  if (scheme === "postgres" || scheme === "postgresql") return openServer(address, "postgres");
  throw new SourceError(`${scheme}:// is no source: name a SQLite file, or a mysql:// or postgres:// address`);
}

function openFile(path: string): Source {
  if (!existsSync(path)) throw new SourceError(`there is no file ${path}`);
  try {
    const file = new SqliteFile(path, { readonly: true });
    const query: Query = async (statement) => file.query<SourceRow, []>(statement).all();
    // The first query opens the files that belong to it.
    file.query("select count(*) from sqlite_master").all();
    return createSource(
      query,
      (table) => `select name from pragma_table_info('${table}')`,
      async () => file.close(),
    );
  } catch (error) {
    throw new SourceError(`${path} is no SQLite database: ${messageOf(error)}`);
  }
}

async function openServer(url: string, adapter: "mysql" | "postgres"): Promise<Source> {
  const sql = new SQL({ url, adapter, max: 1 });
  const query: Query = async (statement) => [...(await sql.unsafe<SourceRow[]>(statement))];
  try {
    await query("select 1");
  } catch (error) {
    await sql.close();
    throw new SourceError(`the source database cannot be reached: ${messageOf(error)}`);
  }
  const schema = adapter === "mysql" ? "database()" : "current_schema()";
  const columnsOf = (table: string) =>
    `select column_name as name from information_schema.columns where table_schema = ${schema} and table_name = '${table}'`;
  return createSource(query, columnsOf, () => sql.close());
}

function createSource(query: Query, columnsOf: (table: string) => string, close: () => Promise<void>): Source {
  return {
    columns: async (table) => new Set((await query(columnsOf(table))).map(({ name }) => String(name).toLowerCase())),
    all: (table) => query(`select * from ${table}`),
    async *slices(table) {
      for (let last = -1; ; ) {
        const rows = await query(`select * from ${table} where id > ${last} order by id limit ${ROWS_A_SLICE}`);
        if (rows.length > 0) yield rows;
        if (rows.length < ROWS_A_SLICE) return;
        last = Number(rows.at(-1)?.id);
      }
    },
    async highestId(table) {
      const row = requireRow(await query(`select max(id) as highest from ${table}`));
      return Number(row.highest ?? 0);
    },
    close,
  };
}
