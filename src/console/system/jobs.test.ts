import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { jobTurns } from "../../../db/schema/settings.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { createJobRunner, type Job } from "../../server/jobs/start-jobs.ts";
import { jobRoutes } from "./jobs.ts";

const blocked = Promise.withResolvers<void>();
const leader = (name: string, run: Job["run"], periodS = 60): Job => ({
  ...{ name, intervalMs: 1000, runsOn: "leader", run },
  periodSeconds: () => periodS,
});
const JOBS: readonly Job[] = [
  leader("quick work", async () => {}),
  leader("fails", () => Promise.reject(new Error("no answer from redis://:hunter2@cache"))),
  leader("takes long", () => blocked.promise, 0),
  { name: "own work", intervalMs: 15_000, runsOn: "every process", run: async () => {} },
];

let app: TestConsole;
let root: Record<string, string>;
beforeAll(async () => {
  app = await startTestConsole(undefined, async ({ db, log }, guarded) =>
    jobRoutes({ db, jobs: createJobRunner(JOBS, { db, log, holder: "host-1:42" }) }, guarded),
  );
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

type Listed = { name: string; state: string; error: string; next_due_at: number | null; started_at: number | null };
const list = async () => ((await app.ask("GET", "/api/jobs/", undefined, root)).body.data as { jobs: Listed[] }).jobs;
const find = async (name: string) => (await list()).find((job) => job.name === name);
const run = async (name: string) =>
  (await app.ask("POST", `/api/jobs/${encodeURIComponent(name)}/run`, undefined, root)).body;

test("jobs that never ran are listed with their interval", async () => {
  const common = { state: "never", holder: "", started_at: null, duration_ms: null, next_due_at: null };
  expect(await list()).toMatchObject([
    { name: "quick work", runs_on: "leader", interval_s: 60, can_run: true, ...common },
    { name: "fails", ...common },
    { name: "takes long", interval_s: 0, ...common },
    { name: "own work", runs_on: "every process", interval_s: 15, can_run: false, ...common },
  ]);
});

test("a job is run at once, and its run is listed", async () => {
  expect(await run("quick work")).toMatchObject({ success: true });
  while ((await find("quick work"))?.state === "running") await Bun.sleep(5);
  const job = await find("quick work");
  expect(job).toMatchObject({ state: "succeeded", holder: "host-1:42", error: "", duration_ms: expect.any(Number) });
  const due = (job?.next_due_at ?? 0) - (job?.started_at ?? 0);
  expect(due).toBe(60);
  const rows = await app.db.select({ content: logs.content, username: logs.username }).from(logs);
  expect(rows).toContainEqual({ content: "Ran the job quick work", username: "root" });
});

test("a failed run is listed with the reason, without secrets", async () => {
  await run("fails");
  while ((await find("fails"))?.state === "running") await Bun.sleep(5);
  expect(await find("fails")).toMatchObject({ state: "failed", error: "no answer from redis://***@cache" });
});

test("a job that is running is not begun again", async () => {
  expect(await run("takes long")).toMatchObject({ success: true });
  expect(await find("takes long")).toMatchObject({ state: "running", ended_at: null, next_due_at: null });
  expect(await run("takes long")).toMatchObject({ success: false, code: "job_running" });
  blocked.resolve();
  while ((await find("takes long"))?.state === "running") await Bun.sleep(5);
  expect(await run("takes long")).toMatchObject({ success: true });
});

test("a job whose process let its lease expire is shown as abandoned and due", async () => {
  await app.db.update(jobTurns).set({ endedAt: null, leaseUntil: 1 }).where(eq(jobTurns.job, "quick work"));
  const job = await find("quick work");
  expect(job).toMatchObject({ state: "abandoned", ended_at: null });
  expect(job?.next_due_at).not.toBeNull();
});

test("other jobs are refused", async () => {
  expect(await run("own work")).toMatchObject({ code: "job_not_runnable" });
  expect(await run("nothing")).toMatchObject({ code: "job_not_found" });
});

test("is for super admins", async () => {
  await app.addUser("admin", "admin");
  const admin = await app.login("admin");
  expect((await app.ask("GET", "/api/jobs/", undefined, admin)).body.code).toBe("permission_denied");
  const refused = await app.ask("POST", "/api/jobs/fails/run", undefined, admin);
  expect(refused.body.code).toBe("permission_denied");
  expect((await app.ask("GET", "/api/jobs/")).status).toBe(401);
});
