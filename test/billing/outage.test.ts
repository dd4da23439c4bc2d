import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import { LedgerUnavailable } from "../../src/billing/ledger/errors.ts";
import { releaseExpired } from "../../src/billing/ledger/processes/lost-processes.ts";
import { releaseDeadProcesses } from "../../src/billing/ledger/processes/registration.ts";
import {
  addUser,
  booksOf,
  type Connection,
  cuttable,
  NOW,
  silentLog,
  temporaryDirectory,
  usageRecord,
} from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/lib/until.ts";

/** The database goes away, answers late or forgets to answer; another process dies. No charge is lost or made twice. */

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let opened: Billing[] = [];
let outage: Connection = "works";

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterEach(async () => {
  outage = "works";
  for (const billing of opened) await billing.close();
  opened = [];
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

async function open(
  sole: boolean,
  processId: string = Bun.randomUUIDv7(),
  outageSpendRatio?: number,
): Promise<Billing> {
  const billing = await createBilling({
    database: { sql: cuttable(database.sql, () => outage), kind: database.kind },
    changes: database.changes,
    dataDir: directory.path,
    processId,
    log: silentLog,
    sole,
    ...(outageSpendRatio !== undefined && { outageSpendRatio }),
  });
  opened.push(billing);
  return billing;
}

test.each([true, false])(
  "calls go on while the database is away, and are written when it is back (alone: %p)",
  async (sole) => {
    const userId = await addUser(database.sql, 10_000_000);
    const billing = await open(sole);
    billing.refund(await billing.reserve({ userId, token: null, amount: 1000 }));
    outage = "refuses";
    for (let call = 0; call < 100; call++) {
      billing.settle(await billing.reserve({ userId, token: null, amount: 1000 }), usageRecord({ userId, quota: 900 }));
    }
    await until(() => billing.status().databaseDown);
    expect(billing.status()).toMatchObject({ pendingRecords: 100, databaseDown: true });
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 10_000_000, rows: 0 });
    outage = "works";
    await billing.flush();
    expect(billing.status()).toMatchObject({ pendingRecords: 0, databaseDown: false });
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 9_910_000, rows: 100, uncovered: 0 });
    expect(billing.available(userId)).toBe(9_910_000);
  },
);

test.each([true, false])("a batch whose answer was lost is not written again (alone: %p)", async (sole) => {
  const userId = await addUser(database.sql, 100_000);
  const billing = await open(sole);
  const hold = await billing.reserve({ userId, token: null, amount: 5000 });
  outage = "loses the answer";
  billing.settle(hold, usageRecord({ userId, quota: 4000 }));
  await until(() => billing.status().databaseDown);
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 96_000, rows: 1 });
  outage = "works";
  await billing.flush();
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 96_000, used: 4000, rows: 1, requests: 1 });
  await Bun.sleep(2500);
  expect(billing.available(userId)).toBe(96_000);
});

test("a batch that somebody has written in part meanwhile is written once", async () => {
  const userId = await addUser(database.sql, 10_000);
  const billing = await open(true);
  const records = Array.from({ length: 6 }, (_, call) =>
    usageRecord({ userId, quota: 100, ...(call % 2 === 1 && { unlogged: true as const }) }),
  );
  await applyBatch(database.sql, "another", records.slice(0, 3).map(recordText));
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 9700, requests: 3, rows: 2 });
  for (const record of records) billing.record(record);
  await billing.flush();
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 9400, used: 600, requests: 6, rows: 3 });
  expect(billing.status()).toMatchObject({ pendingRecords: 0, databaseDown: false });
});

test.each([true, false])("log rows stand in the order of their batch, whoever runs short (new: %p)", async (areNew) => {
  const { sql } = database;
  const [rich, poor] = [await addUser(sql, 100_000), await addUser(sql, 1500)];
  const records = Array.from({ length: 200 }, (_, call) =>
    usageRecord({ userId: call % 3 === 0 ? poor : rich, quota: 100 }),
  );
  await applyBatch(sql, "p", records.map(recordText), { areNew });
  const rows = await sql`select request_id from logs where user_id in (${rich}, ${poor}) order by id`;
  expect(rows.map((row) => row.request_id)).toEqual(records.map(({ requestId }) => requestId));
  expect(await booksOf(sql, poor)).toMatchObject({ quota: 0, used: 1500 });
});

test.each([{}, { unlogged: true as const }])(
  "of a batch that is marked as new and is not (%p), nothing is written",
  async (how) => {
    const userId = await addUser(database.sql, 1000);
    const [known = "", fresh = ""] = [1, 2].map(() => recordText(usageRecord({ userId, quota: 100, ...how })));
    await applyBatch(database.sql, "p", [known], { areNew: true });
    const again = applyBatch(database.sql, "p", [fresh, known], { areNew: true });
    await expect(again).rejects.toMatchObject({ code: "23505" });
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 900, used: 100, requests: 1, rolledUp: 100 });
  },
);

test("a hold whose answer was lost is found again and released", async () => {
  const userId = await addUser(database.sql, 1000);
  // Without a share to spend in an outage: what needs the database is refused while it does not answer.
  const billing = await open(false, Bun.randomUUIDv7(), 0);
  outage = "loses the answer";
  await expect(billing.reserve({ userId, token: null, amount: 600 })).rejects.toBeInstanceOf(LedgerUnavailable);
  expect((await booksOf(database.sql, userId)).held).toBe(600);
  outage = "works";
  expect(await billing.reserve({ userId, token: null, amount: 1000 })).toMatchObject({ amount: 1000 });
});

test("the journal does not grow in memory: a long outage is read back from its file", async () => {
  const userId = await addUser(database.sql, 100_000_000);
  const billing = await open(true);
  outage = "refuses";
  const content = "x".repeat(800);
  for (let call = 0; call < 15_000; call++) billing.record(usageRecord({ userId, quota: 10, content }));
  expect(billing.status().journalBytes).toBeGreaterThan(12_500_000);
  outage = "works";
  // One flush gives up after a while.
  while (billing.status().pendingRecords > 0) await billing.flush();
  expect(await booksOf(database.sql, userId)).toMatchObject({
    quota: 100_000_000 - 150_000,
    rows: 15_000,
    rolledUp: 150_000,
  });
  expect(billing.status().journalBytes).toBeLessThan(8_400_000);
}, 240_000);

test("what a process held is released when its lease has ended, and not before", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 1000);
  const ends = NOW + 3600;
  await sql`insert into processes (id, started_at, lease_until) values ('silent', ${NOW}, ${ends})`;
  await sql`insert into holds values ('silent', 'user', ${userId}, 700)`;
  await sql`update users set held = 700 where id = ${userId}`;
  const release = async () => (await releaseExpired(sql, "me", () => false)).map(({ processId }) => processId);
  expect(await release()).toEqual([]);
  expect((await booksOf(sql, userId)).held).toBe(700);
  await sql`update processes set lease_until = ${NOW - 1} where id = 'silent'`;
  expect(await release()).toEqual(["silent"]);
  expect((await booksOf(sql, userId)).held).toBe(0);
});

test("a process that was taken for dead registers again and takes new holds", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 1000);
  const processId = Bun.randomUUIDv7();
  const billing = await open(false, processId);
  const first = await billing.reserve({ userId, token: null, amount: 600 });
  await releaseDeadProcesses(sql, { ids: [processId] });
  const second = await billing.reserve({ userId, token: null, amount: 300 });
  await until(
    () => booksOf(sql, userId),
    ({ held }) => held === 900,
  );
  billing.settle(first, usageRecord({ userId, quota: 600 }));
  billing.settle(second, usageRecord({ userId, quota: 300 }));
  await billing.flush();
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 100, uncovered: 0, rows: 2 });
});
