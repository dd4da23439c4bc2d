import type { LogMonth } from "../maintenance/partitions.ts";
import type { Statements } from "../types.ts";

/**
 * A backup is text, compressed with Zstandard, one JSON value a line. Arrays are marks, objects are rows:
 *
 *   ["sluice backup", {"format":2,"version":"1.2.0","migration":1795237265097,…}]
 *   ["table", "users", ["id","username",…]]
 *   {"id":1,"username":"root",…}              as row_to_json writes them: numbers exact, columns by name
 *   ["rows", 1000, 204800]                    or so many rows as COPY writes them, in the bytes that follow
 *   ["end", {"users":1,…}, {"users_id_seq":1,…}]
 *   ["sha256", "…"]                           of every byte before this line
 *
 * A server's backup has its rows as COPY writes them, which takes a third of the time. Format 1 knew no such rows. What a
 * release writes, the release before it must be able to read: a new format is first read by one release, then written by the next.
 * Secrets stay encrypted as they are in the database, so the key (ENCRYPTION_KEY or the key file of DATA_DIR) is needed:
 * it is a separate file and should be stored elsewhere.
 */
export const FORMAT = 2;
export const FORMATS: readonly number[] = [1, FORMAT];
export const HEAD_MARK = "sluice backup";

export type BackupHead = Readonly<{
  format: number;
  /** The release that wrote it. */
  version: string;
  /** Newest migration of the tables, milliseconds since 1970. */
  migration: number;
  /** Releases whose newest migration is at least this one can restore it; absent: those that know `migration`. */
  compatibleFrom?: number;
  /** Epoch seconds. */
  createdAt: number;
  /** The log's months, so that restored rows find their partition. */
  logMonths: readonly LogMonth[];
}>;

/** Rows a table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;
/** Last number given out a sequence; null: none yet. */
export type Sequences = Readonly<Record<string, number | null>>;

export type BackupItem =
  | Readonly<{ kind: "head"; head: BackupHead }>
  | Readonly<{ kind: "table"; name: string; columns: readonly string[] }>
  | Readonly<{ kind: "row"; json: string }>
  /** `count` rows in the text format of COPY, each with its newline. */
  | Readonly<{ kind: "rows"; count: number; text: Buffer }>
  | Readonly<{ kind: "end"; counts: RowCounts; sequences: Sequences }>;

/** The file or the database cannot be used for this; the message says why and what to do. */
export class BackupError extends Error {
  override name = "BackupError";
}

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
