import type { Db } from "../../../db/types.ts";
import { keepReason, reasonOf } from "../../lib/reason.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import { claimRun, endRun, HOLDER, recordRun, renewLease } from "./job-lease.ts";

type JobBase = Readonly<{
  /** In the log, on the page of jobs and in the database. */
  name: string;
  /** Milliseconds between two runs; of a leader's job, between two checks whether one is due. */
  intervalMs: number;
  /** Runs shortly after the start too. */
  runsAtStart?: boolean;
  /** Aborted when the process shuts down or loses its lease: a long run ends at its next step. */
  run(signal: AbortSignal): Promise<unknown>;
}>;

/** Done by one process for all, under a lease in the database. */
export type LeaderJob = JobBase &
  Readonly<{
    runsOn: "leader";
    /** Between two runs, whichever process does them, as the settings say now; 0: never. */
    periodSeconds(): number;
    /** The first run is due a period after the job was first checked, so that a new site does not run everything at once. */
    waitsAtFirst?: boolean;
    /** Administrators may run it at any time; false where a run that is not due does nothing. */
    isRunnable?: boolean;
  }>;

/** Work that is repeated; see the table in `jobs.ts`. */
export type Job = (JobBase & Readonly<{ runsOn: "every process" }>) | LeaderJob;

/** How long a process that died or hangs keeps a job from the others; it renews three times as often. */
const LEASE_MS = 30_000;
const RENEWALS_PER_LEASE = 3;
/** A run that takes longer counts as hung: it is aborted, and another process may begin the next. */
const RUN_LIMIT_MS = 3_600_000;
const START_DELAY_MS = 200;

/** `leaseMs` and `holder`: of tests. */
type RunDeps = Readonly<{ db: Db; log: Logger; leaseMs?: number; holder?: string }>;
/** `leads`: leaders' jobs are done here, as long as this process is there; false: others of its host do them, so it seldom looks for one. */
type RunnerDeps = RunDeps & Readonly<{ leads?: boolean }>;

/** How much more seldom a process looks for leaders' jobs that others do: what it never does is never loaded. */
const SELDOM = 10;

export type JobRunner = Readonly<{
  jobs: readonly Job[];
  /** Starts the timers, which don't keep the process alive. */
  start(): void;
  /** Runs a leader's job now. Resolves once it has begun: false if it is running already, here or elsewhere. */
  runNow(job: LeaderJob): Promise<boolean>;
  /** Ends the timers and aborts runs that are under way. */
  stop(): void;
}>;

/**
 * Prepares the jobs to be started. A job never runs twice at a time in a process, and a leader's job never twice at a time
 * at all; a run that fails is logged and recorded, and the job runs again at its next interval.
 */
export function createJobRunner(jobs: readonly Job[], { leads = true, ...deps }: RunnerDeps): JobRunner {
  const abort = new AbortController();
  const timers: (Timer | number)[] = [];
  const warn = (job: Job) => (error: unknown) =>
    deps.log.warn({ error, job: job.name }, "a job failed and runs again later");
  const startTimers = (job: Job) => {
    let isRunning = false;
    const run = async () => {
      if (isRunning) return;
      isRunning = true;
      await runJob(deps, job, abort.signal).catch(warn(job));
      isRunning = false;
    };
    const isSeldom = !leads && job.runsOn === "leader";
    timers.push(setInterval(run, job.intervalMs * (isSeldom ? SELDOM : 1)).unref());
    if (job.runsAtStart && !isSeldom) timers.push(setTimeout(run, START_DELAY_MS).unref());
  };
  return {
    jobs,
    start: () => jobs.forEach(startTimers),
    async runNow(job) {
      const runId = await claim(deps, job, true);
      if (runId === null) return false;
      runUnderLease(deps, job, runId, abort.signal).catch(warn(job));
      return true;
    },
    stop() {
      abort.abort();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Runs the job now, a leader's job only if it is due and no other process holds its lease. Rejects as the job does. */
export async function runJob(deps: RunDeps, job: Job, signal: AbortSignal): Promise<void> {
  if (job.runsOn === "leader") {
    const runId = await claim(deps, job, false);
    if (runId !== null) await runUnderLease(deps, job, runId, signal);
    return;
  }
  const { db, holder = HOLDER } = deps;
  const startedAt = performance.now();
  const record = (error: string) =>
    recordRun(db, job.name, { holder, durationMs: performance.now() - startedAt, error });
  try {
    await job.run(signal);
  } catch (error) {
    // The database may be what failed.
    await record(describeFailure(error)).catch(() => {});
    throw error;
  }
  if (!signal.aborted) await record("");
}

const claim = ({ db, leaseMs = LEASE_MS, holder = HOLDER }: RunDeps, job: LeaderJob, isForced: boolean) =>
  claimRun(db, {
    job: job.name,
    periodSeconds: job.periodSeconds(),
    waitsAtFirst: job.waitsAtFirst ?? false,
    isForced,
    leaseMs,
    holder,
  });

/** Runs a claimed job and renews its lease meanwhile. Rejects as the job does, and as soon as the lease is lost. */
async function runUnderLease(deps: RunDeps, job: LeaderJob, runId: string, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const lease = keepLease(deps, job.name, runId);
  try {
    await Promise.race([job.run(AbortSignal.any([signal, lease.signal])), lease.lost]);
    await endRun(db, job.name, runId, "");
  } catch (error) {
    // Has no effect if another process has taken over.
    if (!lease.signal.aborted) await endRun(db, job.name, runId, describeFailure(error)).catch(() => {});
    throw error;
  } finally {
    lease.end();
  }
}

/**
 * Renews a lease until `end`. `lost` rejects and `signal` is aborted when another process has taken over, the database could
 * not be reached for the whole lease, this process stood still that long, or the run has reached its limit.
 */
function keepLease({ db, leaseMs = LEASE_MS }: RunDeps, job: string, runId: string) {
  const abort = new AbortController();
  const lost = Promise.withResolvers<never>();
  const startedAt = performance.now();
  let renewedAt = startedAt;
  const lose = (why: string) => {
    clearInterval(timer);
    const error = new Error(why);
    abort.abort(error);
    lost.reject(error);
  };
  const renew = async () => {
    const requestedAt = performance.now();
    if (requestedAt - renewedAt >= leaseMs) return lose("the lease expired before it was renewed");
    if (requestedAt - startedAt >= RUN_LIMIT_MS) return lose("the run took more than an hour");
    // While the database does not answer, the next renewals try again.
    const isHeld = await renewLease(db, job, runId, leaseMs).catch(() => null);
    if (isHeld) renewedAt = requestedAt;
    else if (isHeld === false) lose("another process has taken the job over");
  };
  const timer = setInterval(renew, leaseMs / RENEWALS_PER_LEASE).unref();
  lost.promise.catch(() => {});
  return { signal: abort.signal, lost: lost.promise, end: () => clearInterval(timer) };
}

const MAX_LENGTH = 500;
const HIDDEN = "***";

/** What secrets look like in messages of libraries: passwords in addresses, credentials, query values, long random words. */
const SECRETS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/(\w:\/\/)[^\s/@]*@/g, `$1${HIDDEN}@`],
  [/\b(bearer|basic)\s+\S+/gi, `$1 ${HIDDEN}`],
  [/([?&][^=\s&]+=)[^&\s"']+/g, `$1${HIDDEN}`],
  [/\b(password|passwd|secret|token|api[-_]?key)(["']?\s*[:=]\s*["']?)[^\s"',;]+/gi, `$1$2${HIDDEN}`],
  [/\b(sk|pk|rk|whsec|gh[a-z]|xox[a-z])[-_][\w-]{6,}/g, HIDDEN],
  [/[\w-]{32,}/g, HIDDEN],
];

/** Why a job failed, to be stored and shown: one line without secrets, or a sentence of ours for either language. */
export function describeFailure(error: unknown): string {
  const reason = reasonOf(isFailedQuery(error) ? error.cause : error);
  if (typeof reason !== "string") return keepReason(reason);
  const line = reason.replace(/\s+/g, " ").trim();
  const shown = SECRETS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
  return shown.slice(0, MAX_LENGTH) || "unknown error";
}

/** Drizzle's errors list the statement with its parameters; what went wrong is their cause. */
const isFailedQuery = (error: unknown): error is Error & { cause: Error } =>
  error instanceof Error && error.message.startsWith("Failed query") && error.cause instanceof Error;
