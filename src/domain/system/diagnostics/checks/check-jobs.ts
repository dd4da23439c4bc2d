import { and, asc, isNotNull, ne } from "drizzle-orm";
import { jobTurns } from "../../../../../db/schema/settings.ts";
import { readReason } from "../../../../lib/reason.ts";
import type { DiagnosticsContext } from "../diagnostics-context.ts";
import { type Finding, fine, skipped, trouble } from "../diagnostics-context.ts";

/** Whether the last run of each scheduled job succeeded. */
export async function checkJobs({ database: { db } }: Pick<DiagnosticsContext, "database">): Promise<Finding[]> {
  const runs = await db.$count(jobTurns, isNotNull(jobTurns.endedAt));
  if (runs === 0) return [skipped("doctor_jobs_none")];
  const failed = await db
    .select({ job: jobTurns.job, error: jobTurns.error })
    .from(jobTurns)
    .where(and(isNotNull(jobTurns.endedAt), ne(jobTurns.error, "")))
    .orderBy(asc(jobTurns.job));
  if (failed.length === 0) return [fine("doctor_jobs_fine", { count: runs })];
  return failed.map(({ job, error }) =>
    trouble("warn", ["doctor_jobs_failed", { job, reason: readReason(error) }], ["doctor_fix_jobs"]),
  );
}
