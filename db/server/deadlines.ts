import { AsyncLocalStorage } from "node:async_hooks";
import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { type Database, DatabaseError, type Statements } from "../types.ts";

/** Milliseconds that a statement may take before its connection is given up, by what waits for it. */
export const DEADLINES_MS = {
  /** A client's call waits. */
  call: 5000,
  usual: 15_000,
  /** Backups, imports, exports, building partitions and indexes. */
  long: 30 * 60_000,
} as const;

/** A statement as the patched driver shows it (patches/postgres@….patch). */
export type DriverStatement = {
  readonly settled: boolean;
  /** What the handle that made it gives its statements; absent: what the driver gives. */
  readonly deadlineMs?: number;
  /** Rejects the statement and destroys the connection that has it. */
  abort(error: Error): void;
};

/** The database did not answer a statement in time. Whether it was carried out is not known. */
export class StatementTimeout extends DatabaseError {
  override name = "StatementTimeout";
  readonly code = "STATEMENT_TIMEOUT";

  constructor(deadlineMs: number) {
    super(`the database did not answer within ${deadlineMs / 1000} s`);
  }
}

const scope = new AsyncLocalStorage<number>();

/** Gives each statement that `work` starts this long, instead of what its handle or the driver gives by default. */
export const withDeadline = <Result>(deadlineMs: number, work: () => PromiseLike<Result>): Promise<Result> =>
  // Statements are sent only when they are awaited: that must happen inside.
  scope.run(deadlineMs, async () => await work());

type Pending = { statement: DriverStatement; deadlineMs: number; startedAtMs: number; ticksLeft: number };

const TICK_MS = 250;

/**
 * Ends statements that a silent server never answers: a server's own `statement_timeout` can't reach a client whose
 * packets are lost. Time is counted in ticks of the event loop, so that a process that was stopped, or too busy to read
 * answers that have arrived, does not give up connections that work.
 */
export class Deadlines {
  readonly #pending = new Set<Pending>();
  #timer: Timer | null = null;

  constructor(
    private readonly usualMs: number,
    /** Called when a statement was ended, with its start (`performance.now`). */
    private readonly onTimeout: (startedAtMs: number) => void,
  ) {}

  /** To be called as a statement begins to wait, for a connection or an answer. */
  readonly watch = (statement: DriverStatement): void => {
    const deadlineMs = scope.getStore() ?? statement.deadlineMs ?? this.usualMs;
    const ticksLeft = Math.ceil(deadlineMs / TICK_MS);
    this.#pending.add({ statement, deadlineMs, startedAtMs: performance.now(), ticksLeft });
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  };

  #tick(): void {
    for (const pending of this.#pending) {
      const { statement, deadlineMs, startedAtMs } = pending;
      pending.ticksLeft--;
      if (!statement.settled && pending.ticksLeft > 0) continue;
      this.#pending.delete(pending);
      if (statement.settled) continue;
      statement.abort(new StatementTimeout(deadlineMs));
      this.onTimeout(startedAtMs);
    }
    if (this.#pending.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/**
 * Runs a statement that may take minutes and must be alone, outside of a transaction, such as building an index aside: neither the
 * server's `statement_timeout` nor the usual deadline ends it. It has no parameters. Rejects as the database does.
 */
export function runLongStatement(
  { sql, sessionSql }: Pick<Database, "sql" | "sessionSql">,
  statement: SQL,
): Promise<unknown> {
  const text = new PgDialect().sqlToQuery(statement).sql;
  return withDeadline(DEADLINES_MS.long, async () => {
    // A pooler lends a connection for a statement: what is set would stay with others, and it has no timeout of ours to lift.
    if (sessionSql !== sql) return sql.unsafe(text);
    const own = await sql.reserve();
    try {
      await own.unsafe("set statement_timeout = 0");
      return await own.unsafe(text);
    } finally {
      await own.unsafe("reset statement_timeout").catch(() => {});
      own.release();
    }
  });
}

/** A transaction on a server takes as long as it takes, on the server's side too, also while nothing is sent between two statements. */
export async function liftTimeouts(tx: Statements): Promise<void> {
  await tx.unsafe("set local statement_timeout = 0");
  await tx.unsafe("set local idle_in_transaction_session_timeout = 0");
}
