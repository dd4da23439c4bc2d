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
  /** Names of all tables. */
  tables(): Promise<readonly string[]>;
  /** How many rows of a table there are, counted up to `most`. */
  countRows(table: string, most: number): Promise<number>;
  /** How many rows of a table have a value in each of these columns: not null, empty, zero, false or an empty JSON value. */
  countValues(table: string, columns: readonly string[]): Promise<readonly number[]>;
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

/** What differs between engines in the statements of a source. */
type Dialect = Readonly<{
  tables: string;
  columnsOf(table: string): string;
  quote(name: string): string;
  asText(column: string): string;
}>;

const doubleQuoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const SQLITE: Dialect = {
  tables: "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
  columnsOf: (table) => `select name from pragma_table_info('${table}')`,
  quote: doubleQuoted,
  asText: (column) => `cast(${column} as text)`,
};

const serverDialect = (schema: string): Omit<Dialect, "quote" | "asText"> => ({
  tables: `select table_name as name from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE'`,
  columnsOf: (table) =>
    `select column_name as name from information_schema.columns where table_schema = ${schema} and table_name = '${table}'`,
});

const SERVERS: Readonly<Record<"mysql" | "postgres", Dialect>> = {
  mysql: {
    ...serverDialect("database()"),
    quote: (name) => `\`${name.replaceAll("`", "``")}\``,
    asText: (column) => `cast(${column} as char)`,
  },
  postgres: {
    ...serverDialect("current_schema()"),
    quote: doubleQuoted,
    asText: (column) => `${column}::text`,
  },
};

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
    return createSource(query, SQLITE, async () => file.close());
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
  return createSource(query, SERVERS[adapter], () => sql.close());
}

/** What stands in a column that nobody filled, as text. */
const EMPTY = "'', '0', 'f', 'false', '{}', '[]', 'null', '0.0', '0.000000'";

function createSource(query: Query, dialect: Dialect, close: () => Promise<void>): Source {
  const { quote, asText } = dialect;
  return {
    tables: async () => (await query(dialect.tables)).map(({ name }) => String(name)),
    async countRows(table, most) {
      const rows = await query(
        `select count(*) as n from (select 1 as one from ${quote(table)} limit ${most}) as counted`,
      );
      return Number(requireRow(rows).n);
    },
    async countValues(table, columns) {
      if (columns.length === 0) return [];
      const counts = columns.map(
        (column, index) => `count(case when ${asText(quote(column))} not in (${EMPTY}) then 1 end) as c${index}`,
      );
      const row = requireRow(await query(`select ${counts.join(", ")} from ${quote(table)}`));
      return columns.map((_column, index) => Number(row[`c${index}`]));
    },
    columns: async (table) => new Set((await query(dialect.columnsOf(table))).map(({ name }) => String(name))),
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
