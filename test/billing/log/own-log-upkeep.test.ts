import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { dropLogsBefore } from "../../../db/maintenance/partitions.ts";
import { usageSinks } from "../../../db/schema/logs/sinks.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { applyBatch } from "../../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import { applyRetention } from "../../../src/domain/logs/archive/apply-retention.ts";
import { listArchives } from "../../../src/domain/logs/archive/list-archives.ts";
import { readArchiveSlices } from "../../../src/domain/logs/archive/read-archive.ts";
import { createDeliverer } from "../../../src/domain/logs/delivery/deliver-logs.ts";
import { moveLog } from "../../../src/domain/logs/delivery/move-log.ts";
import { clearLogs } from "../../../src/domain/logs/list/clear-logs.ts";
import { exportCalls } from "../../../src/domain/logs/sinks/export-calls.ts";
import { addSink } from "../../../src/domain/logs/sinks/sinks.ts";
import { LOG_TYPE, writeLog } from "../../../src/domain/logs/write-log.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createResolve } from "../../../src/lib/outbound/resolve.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { createVault } from "../../../src/lib/security/crypto.ts";
import { addUser, NOW, silentLog, temporaryDirectory, usageRecord } from "../../support/billing/start-billing.ts";
import { fixedSettings } from "../../support/lib/settings.ts";
import { type OwnLog, openOwnLog } from "../../support/logs.ts";

setDefaultTimeout(120_000);

const DAY_S = 86_400;
const POLICY = createAddressPolicy(true);
const ALL = new AbortController().signal;
const vault = createVault({ encryptionKey: "the key of these tests" });
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `call-${from + at}`);

let own: OwnLog;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
let receiver: Bun.Server<undefined>;
let exported: string[] = [];
beforeAll(async () => {
  folder = await temporaryDirectory();
  receiver = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      const { data } = (await request.json()) as { data: { id: string }[] };
      exported.push(...data.map(({ id }) => id));
      return new Response("");
    },
  });
});
afterAll(async () => {
  receiver.stop(true);
  await folder.remove();
});
beforeEach(async () => {
  own = await openOwnLog();
  exported = [];
});
afterEach(() => own.close());

async function charge(
  names: readonly string[],
  logElsewhere: boolean,
  createdAt = (_: number) => NOW - 60,
  userId = 1,
) {
  const texts = names.map((requestId, at) =>
    recordText(usageRecord({ requestId, userId, quota: 10, createdAt: createdAt(at) })),
  );
  await applyBatch(own.main.sql, "p", texts, { logElsewhere });
}

async function deliverAll(): Promise<void> {
  const deliverer = createDeliverer(own.main, own.logs);
  while ((await deliverer.deliver()).delivered > 0);
}

const exportAll = () =>
  exportCalls(
    { ...{ db: own.main.db, vault, log: silentLog }, fetch: createSafeFetch(POLICY), resolve: createResolve(POLICY) },
    ALL,
  );
const addDestination = (fromStart: boolean) =>
  addSink(
    { db: own.main.db, vault },
    {
      ...{ type: "webhook", name: "own", enabled: true, from_start: fromStart },
      config: { secret: `whsec_${btoa("s".repeat(32))}`, url: `http://127.0.0.1:${receiver.port}/` },
    },
    "en",
  );

test("an export gets each call once, in order, before and after the log has a database of its own", async () => {
  const userId = await addUser(own.main.sql, 1_000_000);
  expect(userId).toBe(1);
  await charge(ids(0, 30), false);
  await addDestination(true);
  await charge(ids(30, 30), true);
  await deliverAll();
  // Rows that it has not had are not moved.
  for await (const _ of moveLog(own.main));
  expect((await own.main.sql`select from logs where type = 2`).length).toBe(30);
  await exportAll();
  expect(exported).toEqual(ids(0, 30));
  await exportAll();
  expect(exported).toEqual(ids(0, 60));
  for await (const _ of moveLog(own.main));
  await exportAll();
  await deliverAll();
  expect((await own.main.sql`select from logs where type = 2`).length).toBe(0);
  await charge(ids(60, 5), true);
  await deliverAll();
  await exportAll();
  await exportAll();
  expect(exported).toEqual(ids(0, 65));
  // A new destination that begins with the oldest gets those that were moved too, also while others have just come here.
  await own.main.db.delete(usageSinks);
  await charge(ids(65, 3), false);
  await addDestination(true);
  exported = [];
  for (let round = 0; round < 3; round += 1) await exportAll();
  expect(exported.toSorted()).toEqual(ids(0, 68).toSorted());
});

test("retention archives the log's own rows by the groups of their users, and forgets old events in both", async () => {
  const { main, logs } = own;
  const [free, vip] = [await addUser(main.sql, 1_000_000), await addUser(main.sql, 1_000_000)];
  await main.sql`update users set "group" = case id when ${vip} then 'vip' else 'free' end`;
  await main.sql`insert into carried_balances (user_id, quota) select id, 1000000 from users`;
  const daily = (at: number) => NOW - at * DAY_S;
  await charge(ids(0, 40), true, daily, free);
  await charge(ids(40, 40), true, daily, vip);
  await writeLog(main.db, { type: LOG_TYPE.system, userId: free, content: "Quota for a new user", quota: 5 });
  await main.sql`update users set quota = quota + 5 where id = ${free}`;
  await deliverAll();
  for (const { sql } of [main, logs]) await sql`update logs set created_at = ${daily(50)} where type <> 2`;
  const deps = {
    ...{ database: main, fetch: createSafeFetch(POLICY), secretReader: { read: async () => "" } },
    settings: fixedSettings({ LogRetention: JSON.stringify({ vip: 30, "*": 10 }), LogArchive: "folder" }),
    config: { dataDir: folder.path, archiveDir: null },
  };
  await applyRetention(deps, ALL, NOW);
  const left = await logs.sql`select user_id, count(*)::int as rows from logs group by 1 order by 1`;
  expect(left.map(({ user_id, rows }) => [user_id, rows])).toEqual([
    [free, 11],
    [vip, 31],
  ]);
  expect((await main.sql`select from logs`).length).toBe(0);
  const months = await listArchives(logs.db);
  const read = { ...deps, db: logs.db };
  const rows = [];
  for (const { month } of months) {
    const start = Date.parse(`${month}-01T00:00:00Z`) / 1000;
    for await (const slice of readArchiveSlices(read, { month: start, filter: {} }, "admin")) rows.push(...slice);
  }
  expect(rows.length).toBe(38 + 1);
  for (const book of ["balances", "users", "hours", "spending"] as const) {
    expect({ book, wrong: (await checkBooks(main.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
});

test("clearing empties both, counts a row once, and leaves books and statements as they are", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 1_000_000);
  await main.sql`insert into carried_balances (user_id, quota) values (${userId}, 1000000)`;
  await charge(ids(0, 20), false, () => NOW - 3 * DAY_S);
  await charge(ids(20, 20), true, () => NOW - 2 * DAY_S);
  await writeLog(main.db, { type: LOG_TYPE.topUp, userId, content: "A top-up", quota: 5 });
  await deliverAll();
  const counted: number[] = [];
  await new Response(
    clearLogs(main, Math.floor(Date.now() / 1000) + 60, async (deleted) => void counted.push(deleted)),
  ).text();
  expect(counted).toEqual([21]);
  for (const { sql } of [main, logs]) expect((await sql`select from logs`).length).toBe(0);
  expect(await dropLogsBefore(logs, Math.floor(Date.now() / 1000))).toBe(0);
  for (const book of ["balances", "users", "hours"] as const) {
    expect({ book, wrong: (await checkBooks(main.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
});
