/**
 * How fast Postgres takes charges: batches of a process that writes as fast as it can, on a server of its own that flushes to
 * disk, with a million log rows already there. The figures go into scripts/bench/capacity.ts.
 *   --batches=N   how many are measured, 100 by default
 *   --calls=N     a gateway on the same server relays so many calls a second meanwhile, none by default
 */
import { parseArgs } from "node:util";
import { openDatabase } from "../../db/connect.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import { BATCH_RECORDS } from "../../src/billing/journal/pump.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { NOW, usageRecord } from "../../test/support/billing/start-billing.ts";
import { createApiKey, createChannel, setOption, setUp } from "../../test/support/e2e/console-client.ts";
import { startGateway } from "../../test/support/processes/gateway.ts";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { seed } from "../seed/seed.ts";
import { MODELS, WORKLOADS } from "./load/workloads.ts";
import { type Latency, measureAtRate } from "./measure.ts";
import { cpuMicroseconds } from "./process-stats.ts";
import { median } from "./report/statistics.ts";
import { startScript } from "./subjects.ts";

const SIZES = { channels: 100, users: 10_000, tokens: 20_000, logs: 1_000_000 };
const WARM_UP = 20;
/** What the log row of a usual call says besides its columns. */
const OTHER = { ...{ completion_ratio: 4, group_ratio: 1, frt: 345 }, ...{ reserved: 16_000, status: 200 } };

const { values: flags } = parseArgs({
  options: { batches: { type: "string", default: "100" }, calls: { type: "string", default: "0" } },
});
const ENCRYPTION_KEY = "k".repeat(43);
/** Longer than any measurement: calls end with it. */
const MOST_SECONDS = 600;
const batches = Number(flags.batches);
const server = await startTemporaryPostgres({ durable: true });
const database = await openDatabase({ databaseUrl: server.url, dataDir: "" });
const { sql } = database;
try {
  const vault = createVault({ encryptionKey: ENCRYPTION_KEY });
  await seed({ database, vault, say: (line) => process.stderr.write(`${line}\n`) }, SIZES);
  await sql`update users set quota = 1000000000000`;
  const users = await sql<{ id: number; username: string; token: number }[]>`
    select u.id, u.username, t.id as token from tokens t join users u on u.id = t.user_id`;
  const pick = () => users[Math.floor(users.length * Math.random() ** 3)] ?? { id: 0, username: "", token: 0 };
  const batch = () =>
    Array.from({ length: BATCH_RECORDS }, () => {
      const { id, username, token } = pick();
      const values = { userId: id, username, tokenId: token, channelId: 1 + Math.floor(Math.random() * 100) };
      const record = usageRecord({ ...values, createdAt: NOW });
      return recordText({ ...record, other: { ...record.other, ...OTHER } });
    });
  const write = async (count: number) => {
    for (let done = 0; done < count; done += 1) await applyBatch(sql, "bench", batch(), { areNew: true });
  };
  const relayed = Number(flags.calls) > 0 ? await startCalls(Number(flags.calls)) : null;
  await write(WARM_UP);
  const all = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name <> '' or backend_type like '%writer' or backend_type = 'checkpointer'`;
  const cpu = () =>
    all.reduce((sum, { pid }) => {
      try {
        return sum + cpuMicroseconds(pid);
      } catch {
        return sum;
      }
    }, 0);
  const lsn = async () => (await sql<{ lsn: string }[]>`select pg_current_wal_lsn() as lsn`)[0]?.lsn ?? "0/0";
  const [cpuBefore, lsnBefore, began] = [cpu(), await lsn(), performance.now()];
  await write(batches);
  const seconds = (performance.now() - began) / 1000;
  const records = batches * BATCH_RECORDS;
  const [wal] = await sql<
    { bytes: string }[]
  >`select pg_wal_lsn_diff(${await lsn()}::pg_lsn, ${lsnBefore}::pg_lsn) as bytes`;
  const lines: Record<string, string> = {
    "records a second, one batch after the other": (records / seconds).toFixed(0),
    "CPU of Postgres, µs a record": ((cpu() - cpuBefore) / records).toFixed(1),
    "write-ahead log, bytes a record": (Number(wal?.bytes) / records).toFixed(0),
  };
  if (relayed) Object.assign(lines, await relayed.end(seconds));
  for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}: ${value}\n`);
} finally {
  await database.close();
  await server.stop();
}

/** Relays calls at a constant rate; `end` answers how those of the last `seconds` did, and stops. */
async function startCalls(perSecond: number): Promise<{ end: (seconds: number) => Promise<Record<string, string>> }> {
  const upstream = await startScript("upstream", "load/upstream.ts");
  const gateway = await startGateway({ env: { DATABASE_URL: server.url, ENCRYPTION_KEY, LOG_LEVEL: "warn" } });
  const root = await setUp(gateway);
  await setOption(root, "ModelRatio", { [MODELS.json]: 1 });
  const address = upstream.subject.target.url.replace(/\/$/, "");
  await createChannel(root, address, [MODELS.json], { priority: 1000 });
  const { key } = await createApiKey(root);
  const target = { url: gateway.url, key };
  let isOver = false;
  const found: Latency[] = [];
  const load = (async () => {
    while (!isOver && found.length < MOST_SECONDS) {
      found.push(await measureAtRate(target, WORKLOADS.json, { perSecond, seconds: 1 }));
    }
  })();
  return {
    async end(seconds) {
      isOver = true;
      await load;
      await gateway.stop();
      upstream.stop();
      const last = found.slice(-Math.max(1, Math.floor(seconds)));
      return {
        "calls a second meanwhile": String(perSecond),
        "wrong answers": String(last.reduce((sum, { wrong }) => sum + wrong, 0)),
        "p50 and p99 of the calls, medians of seconds, ms": `${median(last.map(({ p50Ms }) => p50Ms)).toFixed(1)}, ${median(last.map(({ p99Ms }) => p99Ms)).toFixed(1)}`,
      };
    },
  };
}
