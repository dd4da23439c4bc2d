import type { Socket } from "node:net";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema/index.ts";
import type { Db, Sql } from "./types.ts";

type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<number> }> & {
  /** Makes a connected socket; the driver's types do not know this option. */
  socket?: () => Promise<Socket>;
};

/** int8 arrives as a number: quota and counters stay below 2^53. */
const BIGINT_AS_NUMBER: postgres.PostgresType<number> = { to: 20, from: [20], parse: Number, serialize: String };

/**
 * The one driver for both engines. Every statement is prepared under a name, also inside transactions: that halves its cost
 * and more, and the query builder would not do so by itself.
 */
export function openDriver(options: DriverOptions, url?: string): { sql: Sql; db: Db } {
  const settings: DriverOptions = {
    onnotice: () => {},
    backoff: reconnectSeconds,
    ...options,
    types: { bigint: BIGINT_AS_NUMBER },
  };
  const sql = (url ? postgres(url, settings) : postgres(settings)) as Sql;
  const db = drizzle(named(sql), { schema });
  return { sql, db };
}

/** A database that was restarted is found again within a second; the driver's own pauses grow to twenty. */
const reconnectSeconds = (failures: number): number => Math.min(0.05 * 2 ** failures, 1);

type Unsafe = (query: string, parameters?: unknown[], options?: object) => unknown;
type Begin = (...args: unknown[]) => unknown;

function named(sql: Sql): Sql {
  const statements = sql as unknown as { unsafe: Unsafe; begin?: Begin; savepoint?: Begin };
  const { unsafe, begin, savepoint } = statements;
  const bound = unsafe.bind(sql);
  // The option must come last: the query builder passes `prepare: false`.
  statements.unsafe = (query, parameters = [], options = {}) =>
    bound(query, parameters, parameters.length ? { ...options, prepare: true } : options);
  const scoped =
    (start: Begin): Begin =>
    (...args) => {
      const work = args.pop() as (inner: Sql) => unknown;
      return start.call(sql, ...args, (inner: Sql) => work(named(inner)));
    };
  if (begin) statements.begin = scoped(begin);
  if (savepoint) statements.savepoint = scoped(savepoint);
  return sql;
}
