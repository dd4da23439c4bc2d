/**
 * A process that competes for one job: tries to run it all the time, and writes each run into the table `runs`. Arguments:
 * the database's address, the name of this holder, how long its runs take and how far its clock is off, in milliseconds.
 */
import { openServer } from "../../../db/server/open-server.ts";
import { createLogger } from "../../../src/lib/runtime/log.ts";
import { type Job, runJob } from "../../../src/server/jobs/start-jobs.ts";

const [url = "", holder = "", durationMs = "0", skewMs = "0"] = process.argv.slice(2);
const trueNow = Date.now;
Date.now = () => trueNow() + Number(skewMs);

const LEASE_MS = 1500;
const { db, sql } = await openServer(url, 2);
const log = createLogger({ logLevel: "silent", logFormat: "json" });

const job: Job = {
  name: "contended",
  intervalMs: 20,
  runsOn: "leader",
  periodSeconds: () => 0.1,
  async run(signal) {
    const [run] = await sql<{ id: number }[]>`insert into runs (holder) values (${holder}) returning id`;
    const endsAt = performance.now() + Number(durationMs);
    while (performance.now() < endsAt && !signal.aborted) await Bun.sleep(10);
    await sql`update runs set ended_at = clock_timestamp(), was_aborted = ${signal.aborted} where id = ${run?.id ?? 0}`;
  },
};
for (;;) {
  await runJob({ db, log, leaseMs: LEASE_MS, holder }, job, new AbortController().signal).catch(() => {});
  await Bun.sleep(job.intervalMs);
}
