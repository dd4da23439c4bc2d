import type { Sql } from "../../../../db/types.ts";
import { openRedis, type RedisConnection } from "../../../lib/redis/open-redis.ts";
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

type StreamEntry = Readonly<{ id: string; texts: string[] }>;

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
 * Distinguishes databases that share one Redis: a copy of a database on another server must not charge the calls of the
 * original. (A server that hides its identifier is distinguished by the database's name and number alone.)
 */
export async function readDatabaseId(sql: Sql): Promise<string> {
  const [own] = await sql<{ id: string }[]>`
    select oid::text || ':' || datname as id from pg_database where datname = current_database()`;
  const server = await sql<{ id: string }[]>`select system_identifier::text as id from pg_control_system()`.catch(
    () => [],
  );
  return Bun.hash(`${server[0]?.id ?? ""}:${own?.id ?? ""}`).toString(36);
}

const CONNECT_WITHIN_MS = 3000;
const ANSWER_WITHIN_MS = 5000;

/** Where Redis is, and a key: in a cluster the link reaches the node that has it. */
type Target = Readonly<{ url: string; key: string }>;

/** One connection to Redis or Valkey that is replaced by whoever uses it when it fails: it never reconnects by itself. */
export class RedisLink {
  readonly #client: RedisConnection;
  #isClosed = false;

  /** `onClose` is called once, when the connection ends for any reason but `close`. */
  constructor({ url, key }: Target, onClose: (reason: Error) => void = () => {}) {
    this.#client = openRedis(url, {
      ...{ connectWithinMs: CONNECT_WITHIN_MS, reconnects: false, key },
      onClose: (error) => {
        if (this.#isClosed) return;
        this.close();
        onClose(error);
      },
    });
  }

  /** Rejects when nobody answers in time. */
  async connect(): Promise<void> {
    await within(this.#client.connect(), CONNECT_WITHIN_MS);
  }

  /** Sends a command at once, behind those that still wait for their answer. */
  send(command: string, args: string[]): Promise<unknown> {
    return this.#client.send(command, args);
  }

  /** The same; rejects when there is no answer within 5 s. */
  ask(command: string, ...args: string[]): Promise<unknown> {
    return within(this.send(command, args), ANSWER_WITHIN_MS);
  }

  /** What still waits for an answer is rejected. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#client.close();
  }
}

async function within<Value>(answer: Promise<Value>, limitMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`Redis did not answer within ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
