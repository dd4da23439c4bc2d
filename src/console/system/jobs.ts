import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { languageOf } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { sayStored } from "../../lib/reason.ts";
import { listJobRuns } from "../../server/jobs/list-job-runs.ts";
import type { JobRunner } from "../../server/jobs/start-jobs.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type JobServices = Readonly<{ db: Db; jobs: Pick<JobRunner, "jobs" | "runNow"> }>;

/** Scheduled jobs of all processes: the last run of each, and runs on an administrator's request. */
export const jobRoutes = ({ db, jobs }: JobServices, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/jobs", name: "console/jobs" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async ({ request }) => {
      const views = await listJobRuns(db, jobs.jobs);
      return ok({ jobs: views.map((view) => ({ ...view, error: sayStored(view.error, languageOf(request)) })) });
    })
    .post(
      "/:name/run",
      async ({ actor, params, request }) => {
        const job = jobs.jobs.find(({ name }) => name === params.name);
        if (!job) throw new OperationError("job_not_found");
        if (job.runsOn !== "leader" || job.isRunnable === false) throw new OperationError("job_not_runnable");
        if (!(await jobs.runNow(job))) throw new OperationError("job_running");
        await writeManagementLog(db, actor, `Ran the job ${job.name}`, {
          note: { code: "job_run", params: { name: job.name } },
          action: "update",
        });
        return done(request, "job_started");
      },
      { params: t.Object({ name: t.String({ maxLength: 100 }) }) },
    );
