import type { Sql } from "../../../../db/types.ts";
import { RECORD } from "../apply/record-text.ts";

/**
 * The journal's second home: a Redis stream per process. An entry holds the records of one turn of the event loop, and its
 * id begins with the number of the last of them (counted from the process's start), so that what the database has taken is
 * trimmed by number, and what is sent twice is refused by Redis.
 */
export const FIELD = "records";

/**
 * Keys of the streams that belong to one database. `database`: from `readDatabaseId`; the braces keep all keys of a database
 * on one node of a cluster.
 */
export const streamKey = (database: string, processId: string): string => `sluice:journal:{${database}}:${processId}`;

/** The set of processes that have a stream. */
export const indexKey = (database: string): string => `sluice:journal:{${database}}`;

/** The arguments of XADD for records of which the last is number `last`; null is the answer where the stream is gone. */
export const entryOf = (key: string, texts: readonly string[], last: number): string[] => [
  key,
  "NOMKSTREAM",
  `${last}-0`,
  FIELD,
  texts.join(RECORD),
];

/** The number of an entry's last record. */
export const numberOf = (id: string): number => Number(id.split("-")[0]);

export type StreamEntry = Readonly<{ id: string; texts: string[] }>;

/** Entries as XRANGE answers them: [[id, [field, value, …]], …]. Throws when it is something else. */
export function readEntries(answer: unknown): StreamEntry[] {
  if (!Array.isArray(answer)) throw new Error("Redis answered no entries");
  return answer.map((entry: unknown) => {
    const [id, fields] = Array.isArray(entry) ? entry : [];
    const value: unknown = Array.isArray(fields) && fields[0] === FIELD ? fields[1] : null;
    if (typeof id !== "string" || typeof value !== "string") throw new Error("Redis answered an entry of another kind");
    return { id, texts: value === "" ? [] : value.split(RECORD) };
  });
}

/**
 * Tells databases apart that share one Redis: a copy of a database on another server must not charge the calls of the
 * original. (A server that hides its identifier is told apart by the database's name and number alone.)
 */
export async function readDatabaseId(sql: Sql): Promise<string> {
  const [own] = await sql<{ id: string }[]>`
    select oid::text || ':' || datname as id from pg_database where datname = current_database()`;
  const server = await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`.catch(
    () => [],
  );
  return Bun.hash(`${server[0]?.id ?? ""}:${own?.id ?? ""}`).toString(36);
}
