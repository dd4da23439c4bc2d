import { sql } from "drizzle-orm";
import { jobTurns } from "../../../db/schema/settings.ts";
import type { Db } from "../../../db/types.ts";
import { DATABASE_NOW_MS } from "./job-lease.ts";
import type { Job } from "./start-jobs.ts";

/** "abandoned": the process died or hangs; another takes the job over at its next check. */
export type JobState = "never" | "running" | "succeeded" | "failed" | "abandoned";

/** A job and its last run, by whichever process. */
export type JobView = Readonly<{
  name: string;
  /** One process does it for all, or each for itself. */
  runs_on: "leader" | "every process";
  /** Seconds between the starts of two runs; 0: it is switched off. */
  interval_s: number;
  state: JobState;
  /** Host and process id; empty before the first run. */
  holder: string;
  /** Epoch seconds; null before the first run, and `ended_at` until it has ended. */
  started_at: number | null;
  ended_at: number | null;
  duration_ms: number | null;
  /** Why the last run failed, as `keepReason` writes it; else empty. */
  error: string;
  /** Epoch seconds; null: it is switched off, or has not been checked yet. */
  next_due_at: number | null;
  can_run: boolean;
}>;

type Turn = Pick<typeof jobTurns.$inferSelect, "begunAt" | "startedAt" | "endedAt" | "leaseUntil" | "error">;

/** Reads the last run of each job, in the jobs' order. */
export async function listJobRuns(db: Db, jobs: readonly Job[]): Promise<JobView[]> {
  const rows = await db.select({ turn: jobTurns, now: sql<number>`${DATABASE_NOW_MS}`.mapWith(Number) }).from(jobTurns);
  const byName = new Map(rows.map((row) => [row.turn.job, row]));
  return jobs.map((job) => {
    const row = byName.get(job.name);
    return viewJob(job, row?.turn ?? null, row?.now ?? 0, row?.turn.holder ?? "");
  });
}

function viewJob(job: Job, turn: Turn | null, nowMs: number, holder: string): JobView {
  const isLeader = job.runsOn === "leader";
  const intervalS = Math.max(0, isLeader ? job.periodSeconds() : job.intervalMs / 1000);
  const { startedAt = null, endedAt = null } = turn ?? {};
  const state = stateOf(turn, nowMs);
  const startMs = turn && Math.max(startedAt ?? 0, turn.begunAt * 1000);
  const nextMs = state === "abandoned" ? nowMs : startMs && startMs + intervalS * 1000;
  return {
    name: job.name,
    runs_on: job.runsOn,
    interval_s: intervalS,
    state,
    holder,
    started_at: seconds(startedAt),
    ended_at: seconds(endedAt),
    duration_ms: startedAt !== null && endedAt !== null ? Math.max(0, endedAt - startedAt) : null,
    error: turn?.error ?? "",
    next_due_at: intervalS > 0 ? seconds(nextMs) : null,
    can_run: isLeader && job.isRunnable !== false,
  };
}

function stateOf(turn: Turn | null, nowMs: number): JobState {
  if (turn === null || turn.startedAt === null) return "never";
  if (turn.leaseUntil !== null) return turn.leaseUntil >= nowMs ? "running" : "abandoned";
  return turn.error === "" ? "succeeded" : "failed";
}

const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));
