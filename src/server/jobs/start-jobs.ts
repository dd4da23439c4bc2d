import { lte, sql } from "drizzle-orm";
import { jobTurns } from "../../../db/schema/settings.ts";
import type { Db } from "../../../db/types.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Logger } from "../../lib/runtime/log.ts";

type JobBase = Readonly<{
  /** In the log; a leader's job is claimed in the database by it. */
  name: string;
  /** Milliseconds between two runs; of a leader's job, between two checks whether one is due. */
  intervalMs: number;
  /** Runs shortly after the start too. */
  runsAtStart?: boolean;
  /** Aborted when the process shuts down: a long run ends at its next step. */
  run(signal: AbortSignal): Promise<unknown>;
}>;

/** Work that is repeated; see the table in `jobs.ts`. */
export type Job =
  | (JobBase & Readonly<{ runsOn: "every process" }>)
  /** `periodSeconds`: between two runs, whichever process does them, as the settings say now; 0: never. */
  | (JobBase & Readonly<{ runsOn: "leader"; periodSeconds(): number }>);

const START_DELAY_MS = 200;

/**
 * Starts the jobs. A job never runs twice at a time in a process; a run that fails is logged, and the job runs again at its
 * next interval. Does not keep the process alive. Returns what stops them.
 */
export function startJobs(jobs: readonly Job[], { db, log }: Readonly<{ db: Db; log: Logger }>): () => void {
  const abort = new AbortController();
  const timers = jobs.flatMap((job) => {
    let isRunning = false;
    const run = async () => {
      if (isRunning) return;
      isRunning = true;
      try {
        await runJob(db, job, abort.signal);
      } catch (error) {
        log.warn({ error, job: job.name }, "a job failed and runs again later");
      } finally {
        isRunning = false;
      }
    };
    return [setInterval(run, job.intervalMs), ...(job.runsAtStart ? [setTimeout(run, START_DELAY_MS)] : [])];
  });
  for (const timer of timers) timer.unref();
  return () => {
    abort.abort();
    for (const timer of timers) clearInterval(timer);
  };
}

/** Runs the job now, a leader's job only if it is due and no other process has claimed this run. Rejects as the job does. */
export async function runJob(db: Db, job: Job, signal: AbortSignal): Promise<void> {
  if (job.runsOn === "leader" && !(await claimRun(db, job.name, job.periodSeconds()))) return;
  await job.run(signal);
}

/**
 * Whether this process is the one to run a job that is due every `periodS` seconds (0: never). The period begins when the
 * job is first asked for, so that a start does not run everything at once.
 */
export async function claimRun(db: Db, job: string, periodS: number, now = nowSeconds()): Promise<boolean> {
  if (periodS <= 0) return false;
  const rows = await db
    .insert(jobTurns)
    .values({ job, begunAt: now })
    .onConflictDoUpdate({ target: jobTurns.job, set: { begunAt: now }, setWhere: lte(jobTurns.begunAt, now - periodS) })
    .returning({ isFirst: sql<boolean>`xmax = 0` });
  return rows.length > 0 && !rows[0]?.isFirst;
}
