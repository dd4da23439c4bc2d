import { requireRow } from "../../../../db/require-row.ts";
import type { Sql } from "../../../../db/types.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { BALANCES, type Balance, SUBJECTS, type Subject } from "../../subject.ts";
import type { Accounts } from "./accounts.ts";

/** Accounts of a subject that calls never hold anything of. */
const UNLIMITED: Readonly<Record<Subject, string>> = { user: "false", token: "unlimited_quota", budget: "not is_hard" };

/** Short queries with rests: calls are served meanwhile, and the embedded engine has one session for all. */
const SERVER_PACE: Pace = { rows: 5000, pauseMs: 5 };
const EMBEDDED_PACE: Pace = { rows: 2000, pauseMs: 20 };
const RETRY_MS = 5000;
/** Reading so many leaves garbage that would stay as long as nothing else needs memory. */
const MANY = 100_000;
/** A safety net: changes arrive by events. */
const REREAD_MS = 600_000;

type Parts = Readonly<{ sql: Sql; kind: "server" | "embedded"; accounts: Accounts; log: Logger }>;

export type BalanceLoader = Readonly<{
  /** All balances were read once. */
  isComplete(): boolean;
  /** Reads all balances again: changes may have gone unheard. */
  reload(): void;
  /** Ends after the page under way. */
  close(): Promise<void>;
}>;

/**
 * Reads the balances of all users and limited keys in the background, so that this process knows what each may spend should
 * the database go away. Goes on until it has them all.
 */
export function loadBalances({ sql, kind, accounts, log }: Parts): BalanceLoader {
  const pace = kind === "server" ? SERVER_PACE : EMBEDDED_PACE;
  let isClosed = false;
  let isRequested = false;
  let isComplete = false;
  let running: Promise<void> | null = null;
  let retry: Timer | null = null;

  const readAll = async (): Promise<void> => {
    const startedAt = performance.now();
    let count = 0;
    for (const subject of SUBJECTS) {
      const put = (id: number, quota: number, held: number) => {
        count += 1;
        accounts.learn(subject, id, quota, held, true);
      };
      if (!(await readAllBalances(sql, subject, pace, { put, isCanceled: () => isClosed }))) return;
    }
    isComplete = true;
    if (count > MANY) Bun.gc(true);
    log.debug({ accounts: count, ms: Math.round(performance.now() - startedAt) }, "all balances are known");
  };
  const start = (): void => {
    isRequested = true;
    if (running || isClosed) return;
    isRequested = false;
    running = readAll()
      .catch((error) => {
        if (isClosed) return;
        log.warn({ error }, "balances could not be read");
        retry = setTimeout(start, RETRY_MS);
        retry.unref();
      })
      .finally(() => {
        running = null;
        if (isRequested) start();
      });
  };

  start();
  const timer = kind === "server" ? setInterval(start, REREAD_MS) : null;
  timer?.unref();
  return {
    isComplete: () => isComplete,
    reload: start,
    async close() {
      isClosed = true;
      clearInterval(timer ?? undefined);
      clearTimeout(retry ?? undefined);
      await running;
    },
  };
}

const ENTRY = "\n";
const FIELD = " ";

/** Rows a query, and the rest between two of them. */
type Pace = Readonly<{ rows: number; pauseMs: number }>;

/**
 * Reads the balances of all accounts of a subject in pages; of API keys only those with a limit of their own, of budgets only hard ones. The database
 * writes a page as one text, which costs both sides a fraction of what rows do. Ends early, and answers false, once
 * `isCanceled` says so. Rejects when the database does not answer.
 */
async function readAllBalances(
  sql: Sql,
  subject: Subject,
  { rows, pauseMs }: Pace,
  { put, isCanceled }: Readonly<{ put(id: number, quota: number, held: number): void; isCanceled(): boolean }>,
): Promise<boolean> {
  const { table, quota } = BALANCES[subject];
  const isUnlimited = sql.unsafe(UNLIMITED[subject]);
  for (let last = 0; ; ) {
    const page = requireRow(
      await sql<{ count: number; text: string | null }[]>`
      select count(*)::integer as count, string_agg(concat_ws(${FIELD}, id, quota, held), ${ENTRY} order by id) as text
      from (
        select id, ${sql(quota)} as quota, held from ${sql(table)}
        where id > ${last} and deleted_at is null and not (${isUnlimited}) order by id limit ${rows}
      ) page`,
    );
    if (isCanceled()) return false;
    for (const entry of page.text?.split(ENTRY) ?? []) {
      const [id, units, held] = entry.split(FIELD).map(Number);
      if (id === undefined || units === undefined || held === undefined)
        throw new Error(`unreadable balance: ${entry}`);
      put(id, units, held);
      last = id;
    }
    if (page.count < rows) return true;
    await Bun.sleep(pauseMs);
  }
}

/** The balances of these accounts and what this process holds of them; accounts that don't exist are missing. */
export async function readBalances(
  sql: Sql,
  processId: string,
  subject: Subject,
  ids: readonly number[],
): Promise<Balance[]> {
  const { table, quota } = BALANCES[subject];
  return sql<Balance[]>`
    select t.id, t.${sql(quota)} as quota, t.held, coalesce(h.amount, 0) as own
    from ${sql(table)} t
    left join holds h on h.process_id = ${processId} and h.subject = ${subject} and h.subject_id = t.id
    where t.id = any(${ids as number[]}::integer[])`;
}
