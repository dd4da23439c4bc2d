import { hostname } from "node:os";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { jobTurns } from "../../../db/schema/settings.ts";
import type { Db } from "../../../db/types.ts";

/** Epoch milliseconds by the database's clock: clocks of replicas differ. */
export const DATABASE_NOW_MS: SQL<number> =
  sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`.mapWith(Number);
const DATABASE_NOW_S = sql`floor(extract(epoch from clock_timestamp()))::bigint`;

/** Who runs jobs here, as the page of jobs shows it. */
export const HOLDER = `${hostname()}:${process.pid}`;

export type Claim = Readonly<{
  job: string;
  /** Seconds between the starts of two runs; 0: never. */
  periodSeconds: number;
  /** A job that nobody has run yet is due a period later, not at once. */
  waitsAtFirst: boolean;
  /** Claims the run although it is not due. */
  isForced: boolean;
  leaseMs: number;
  holder: string;
}>;

/**
 * Claims a run of a job that is due: because its period is over, or because the process that ran it let its lease expire.
 * Resolves with the run's id, or null if it is not due or another process holds the lease.
 */
export async function claimRun(db: Db, claim: Claim): Promise<string | null> {
  const { job, periodSeconds, isForced, leaseMs, holder } = claim;
  if (periodSeconds <= 0 && !isForced) return null;
  const runId = Bun.randomUUIDv7();
  const run = {
    begunAt: DATABASE_NOW_S,
    holder,
    runId,
    startedAt: DATABASE_NOW_MS,
    endedAt: null,
    leaseUntil: sql`${DATABASE_NOW_MS} + ${leaseMs}::bigint`,
    error: "",
  };
  const begunMs = sql`greatest(${jobTurns.startedAt}, ${jobTurns.begunAt} * 1000)`;
  const isDue = isForced
    ? sql`true`
    : sql`(${jobTurns.leaseUntil} is not null or ${begunMs} <= ${DATABASE_NOW_MS} - ${Math.round(periodSeconds * 1000)}::bigint)`;
  const rows = await db
    .insert(jobTurns)
    .values(claim.waitsAtFirst && !isForced ? { job, begunAt: DATABASE_NOW_S } : { job, ...run })
    .onConflictDoUpdate({
      target: jobTurns.job,
      set: run,
      setWhere: sql`coalesce(${jobTurns.leaseUntil} < ${DATABASE_NOW_MS}, true) and ${isDue}`,
    })
    .returning({ runId: jobTurns.runId });
  return rows[0]?.runId === runId ? runId : null;
}

const isRun = (job: string, runId: string) => and(eq(jobTurns.job, job), eq(jobTurns.runId, runId));

/** Extends the lease of a run by `leaseMs` from now. Resolves with false if another process has taken the job over. */
export async function renewLease(db: Db, job: string, runId: string, leaseMs: number): Promise<boolean> {
  const rows = await db
    .update(jobTurns)
    .set({ leaseUntil: sql`${DATABASE_NOW_MS} + ${leaseMs}::bigint` })
    .where(isRun(job, runId))
    .returning({ job: jobTurns.job });
  return rows.length > 0;
}

/** Records how a run ended (`error`: empty if it succeeded) and gives its lease back, unless another took the job over. */
export async function endRun(db: Db, job: string, runId: string, error: string): Promise<void> {
  await db.update(jobTurns).set({ endedAt: DATABASE_NOW_MS, leaseUntil: null, error }).where(isRun(job, runId));
}

/** Records a run of a job that every process runs for itself, after its end. */
export async function recordRun(
  db: Db,
  job: string,
  { holder, durationMs, error }: Readonly<{ holder: string; durationMs: number; error: string }>,
): Promise<void> {
  const startedAt = sql`${DATABASE_NOW_MS} - ${Math.round(durationMs)}::bigint`;
  const run = {
    begunAt: DATABASE_NOW_S,
    holder,
    runId: null,
    startedAt,
    endedAt: DATABASE_NOW_MS,
    leaseUntil: null,
    error,
  };
  await db
    .insert(jobTurns)
    .values({ job, ...run })
    .onConflictDoUpdate({ target: jobTurns.job, set: run });
}
