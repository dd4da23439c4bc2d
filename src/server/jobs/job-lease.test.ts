/** Two processes and one job, on a Postgres server of the test's own. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { migrateDatabase } from "../../../db/migrate/migrate.ts";
import { openServer } from "../../../db/server/open-server.ts";
import type { Database } from "../../../db/types.ts";
import { shortLivedEnv } from "../../../test/support/processes/run-command.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../test/support/processes/temporary-postgres.ts";

const WORKER = join(import.meta.dir, "../../../test/support/processes/job-worker.ts");

type Run = Readonly<{ holder: string; started_at: Date; ended_at: Date | null; was_aborted: boolean }>;

let server: TemporaryPostgres;
let database: Database;
let workers: Bun.Subprocess[];

beforeAll(async () => {
  server = await startTemporaryPostgres({ durable: false });
  database = await openServer(server.url, 2);
  await migrateDatabase(database, server.url);
  await database.sql`create table runs (id serial primary key, holder text, started_at timestamptz default clock_timestamp(),
    ended_at timestamptz, was_aborted boolean not null default false)`;
}, 60_000);
afterAll(async () => {
  await database.close();
  await server.stop();
});
beforeEach(async () => {
  workers = [];
  await database.sql`truncate runs`;
  await database.sql`delete from job_turns`;
});
afterEach(async () => {
  for (const worker of workers) {
    worker.kill("SIGKILL");
    await worker.exited;
  }
});

function compete(holder: string, durationMs: number, skewMs = 0): Bun.Subprocess {
  const command = [process.execPath, WORKER, server.url, holder, String(durationMs), String(skewMs)];
  const worker = Bun.spawn(command, { env: shortLivedEnv(), stdio: ["ignore", "ignore", "inherit"] });
  workers.push(worker);
  return worker;
}

const readRuns = () => database.sql<Run[]>`select * from runs order by started_at`;
/** Resolves with the runs as soon as they are as expected. */
async function waitForRuns(isExpected: (runs: readonly Run[]) => boolean): Promise<readonly Run[]> {
  for (;;) {
    const runs = await readRuns();
    if (isExpected(runs)) return runs;
    await Bun.sleep(20);
  }
}
const by = (runs: readonly Run[], holder: string) => runs.filter((run) => run.holder === holder);
const holderOfLease = async () =>
  (await database.sql<{ holder: string }[]>`select holder from job_turns where job = 'contended'`)[0]?.holder;

/** Runs that began before another had ended; one that never ended took as long as its lease at least. */
function overlaps(runs: readonly Run[]): readonly Run[] {
  const ended = runs.filter(({ ended_at }) => ended_at !== null);
  return runs.filter((run) =>
    ended.some(
      ({ started_at, ended_at }) => started_at < run.started_at && ended_at !== null && run.started_at < ended_at,
    ),
  );
}

test.each([
  ["with equal clocks", 0, 0],
  ["with clocks that are 5 s off", 5000, -5000],
])(
  "one process at a time runs the job, %s",
  async (_, first, second) => {
    compete("one", 30, first);
    compete("two", 30, second);
    const runs = await waitForRuns((all) => by(all, "one").length > 4 && by(all, "two").length > 4);
    expect(overlaps(runs)).toEqual([]);
  },
  60_000,
);

test("a slow holder keeps the job for as long as it needs", async () => {
  compete("slow", 4000);
  await waitForRuns((all) => by(all, "slow").length === 1);
  compete("other", 10);
  const runs = await waitForRuns((all) => by(all, "other").length > 0);
  expect(overlaps(runs)).toEqual([]);
  expect(by(runs, "slow")[0]).toMatchObject({ was_aborted: false });
}, 60_000);

test("the job of a killed holder is taken over when its lease has expired", async () => {
  const killed = compete("killed", 60_000);
  await waitForRuns((all) => by(all, "killed").length === 1);
  killed.kill("SIGKILL");
  compete("other", 60_000);
  const runs = await waitForRuns((all) => by(all, "other").length === 1);
  expect(by(runs, "killed")).toMatchObject([{ ended_at: null }]);
  expect(await holderOfLease()).toBe("other");
}, 60_000);

test("a holder that hung finds its job taken over, ends its run and does not touch the other's", async () => {
  const hung = compete("hung", 60_000);
  await waitForRuns((all) => by(all, "hung").length === 1);
  hung.kill("SIGSTOP");
  compete("other", 60_000);
  await waitForRuns((all) => by(all, "other").length === 1);
  hung.kill("SIGCONT");
  const runs = await waitForRuns((all) => by(all, "hung")[0]?.ended_at !== null);
  expect(by(runs, "hung")).toMatchObject([{ was_aborted: true }]);
  expect(await holderOfLease()).toBe("other");
}, 60_000);
