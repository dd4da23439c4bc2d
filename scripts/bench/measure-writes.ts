/**
 * How fast Postgres takes charges: batches of a process that writes as fast as it can, on a server of its own that flushes to
 * disk, with a million log rows already there. The figures go into scripts/bench/capacity.ts.
 *   --batches=N   how many are measured, 100 by default
 */
import { parseArgs } from "node:util";
import { openDatabase } from "../../db/connect.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import { BATCH_RECORDS } from "../../src/billing/journal/pump.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { NOW, usageRecord } from "../../test/support/billing/start-billing.ts";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { seed } from "../seed/seed.ts";
import { cpuMicroseconds } from "./process-stats.ts";

const SIZES = { channels: 100, users: 10_000, tokens: 20_000, logs: 1_000_000 };
const WARM_UP = 20;
/** What the log row of a usual call says besides its columns. */
const OTHER = { ...{ completion_ratio: 4, group_ratio: 1, frt: 345 }, ...{ reserved: 16_000, status: 200 } };

const { values: flags } = parseArgs({ options: { batches: { type: "string", default: "100" } } });
const batches = Number(flags.batches);
const server = await startTemporaryPostgres({ durable: true });
const database = await openDatabase({ databaseUrl: server.url, dataDir: "" });
const { sql } = database;
try {
  const vault = createVault({ encryptionKey: "k".repeat(43) });
  await seed({ database, vault, say: () => {} }, SIZES);
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
  const lines = {
    "records a second, one batch after the other": (records / seconds).toFixed(0),
    "CPU of Postgres, µs a record": ((cpu() - cpuBefore) / records).toFixed(1),
    "write-ahead log, bytes a record": (Number(wal?.bytes) / records).toFixed(0),
  };
  for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}: ${value}\n`);
} finally {
  await database.close();
  await server.stop();
}
