import { requireRow } from "../require-row.ts";
import type { Db, Sql } from "../types.ts";
import { withDeadline } from "./deadlines.ts";
import { linkToMain, mainOf } from "./log-database.ts";
import { openServerLazily } from "./open-server.ts";

/** How a read replica does. */
export type ReplicaStatus = Readonly<{
  /** Seconds that it is behind the primary; null: it does not answer, or takes no changes from a primary. */
  lagSeconds: number | null;
  /** Whether it is read: it answers, and is not too far behind. */
  isUsed: boolean;
}>;

/** Where lists and charts are read, which may be a few seconds old. */
export type Reads = Readonly<{
  /** Runs a query on the replica; on the primary where there is no replica, it is too far behind, or the query fails there. */
  read<Value>(query: (db: Db) => Promise<Value>): Promise<Value>;
  /** Null: no replica is configured. */
  replica(): ReplicaStatus | null;
  close(): Promise<void>;
}>;

type Options = Readonly<{
  primary: Db;
  /** Address of the replica. */
  url: string;
  maxLagSeconds: number;
  /** Called when the replica is no longer read, with the reason, and when it is again. */
  onChange: (isUsed: boolean, reason: string) => void;
}>;

const CONNECTIONS = 4;
const PROBE_EVERY_MS = 2000;
const PROBE_WITHIN_MS = 2000;

/** Reads everything from the primary. */
export const readFromPrimary = (primary: Db): Reads => ({
  read: (query) => query(primary),
  replica: () => null,
  close: async () => {},
});

/** Opens a replica, and watches how far it is behind. It may be away: then the primary is read until it is back. */
export async function openReplica({ primary, url, maxLagSeconds, onChange }: Options): Promise<Reads> {
  const database = openServerLazily(url, CONNECTIONS);
  linkToMain(database.listDb, mainOf(primary));
  let status: ReplicaStatus = { lagSeconds: null, isUsed: false };
  let reportedUse = true;

  function update(lagSeconds: number | null, error?: unknown): void {
    const isUsed = lagSeconds !== null && lagSeconds <= maxLagSeconds;
    status = { lagSeconds, isUsed };
    if (isUsed === reportedUse) return;
    reportedUse = isUsed;
    const reason =
      lagSeconds === null ? (error instanceof Error ? error.message : "it replays nothing") : `${lagSeconds} s behind`;
    onChange(isUsed, reason);
  }
  let isProbing = false;
  async function probe(): Promise<void> {
    if (isProbing) return;
    isProbing = true;
    await withDeadline(PROBE_WITHIN_MS, () => readLag(database.sql)).then(update, (error) => update(null, error));
    isProbing = false;
  }
  await probe();
  const timer = setInterval(probe, PROBE_EVERY_MS);
  timer.unref();
  return {
    async read(query) {
      if (!status.isUsed) return query(primary);
      try {
        return await query(database.listDb);
      } catch {
        // Standbys cancel queries that conflict with what they replay. Where the query itself is wrong, the primary says so.
        return query(primary);
      }
    },
    replica: () => status,
    async close() {
      clearInterval(timer);
      await database.close();
    },
  };
}

/**
 * Seconds that a standby is behind. One that has replayed all it got is not behind as long as it gets changes, however long
 * ago the last one was. Null: it gets none and has never replayed any. A server that is no standby counts as not behind.
 */
async function readLag(sql: Sql): Promise<number | null> {
  const { lag } = requireRow(
    await sql<{ lag: number | null }[]>`
      select case
        when not pg_is_in_recovery() then 0
        when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
      end::float8 as lag`,
  );
  // The clock of the standby may be behind that of the primary.
  return lag === null ? null : Math.max(0, Math.round(lag * 10) / 10);
}
