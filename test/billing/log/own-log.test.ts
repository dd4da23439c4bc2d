import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TransactionSql } from "postgres";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { applyBatch, applyOrphanBatch } from "../../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import { linesOf } from "../../../src/billing/journal/segments/segment.ts";
import { createDeliverer, startLogDelivery } from "../../../src/domain/logs/delivery/deliver-logs.ts";
import { moveLog } from "../../../src/domain/logs/delivery/move-log.ts";
import { LOG_TYPE, writeLog } from "../../../src/domain/logs/write-log.ts";
import { refundCharge } from "../../../src/domain/tasks/refund-charge.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  type Connection,
  cuttable,
  NOW,
  silentLog,
  temporaryDirectory,
  usageRecord,
} from "../../support/billing/start-billing.ts";
import { until } from "../../support/lib/until.ts";
import { loggedOf, type OwnLog, openOwnLog } from "../../support/logs.ts";

let own: OwnLog;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let opened: Billing[] = [];
beforeAll(async () => {
  own = await openOwnLog();
  directory = await temporaryDirectory();
}, 60_000);
afterEach(async () => {
  for (const billing of opened) await billing.close();
  opened = [];
});
afterAll(async () => {
  await own.close();
  await directory.remove();
});

const open = async (): Promise<Billing> => {
  const { main } = own;
  const billing = await createBilling({
    ...{
      database: main,
      changes: main.changes,
      dataDir: directory.path,
      processId: Bun.randomUUIDv7(),
      log: silentLog,
    },
    ...{ sole: false, logElsewhere: true },
  });
  opened.push(billing);
  return billing;
};

async function deliverAll(deliverer = createDeliverer(own.main, own.logs)): Promise<void> {
  while ((await deliverer.deliver()).delivered > 0);
}

async function expectBooksRight(): Promise<void> {
  for (const book of ["users", "tokens", "channels", "holds", "budgets", "spending"] as const) {
    expect({ book, wrong: (await checkBooks(own.main.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
  for (const book of ["hours", "days"] as const) {
    expect({ book, wrong: (await checkBooks(own.logs.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
}

test("a call is charged in the main database, and its row, roll-up and tags are in the log's alone", async () => {
  const [userId, channelId] = [await addUser(own.main.sql, 1000), await addChannel(own.main.sql)];
  const tokenId = await addToken(own.main.sql, userId, 800);
  const { reserve, settle, flush } = await open();
  const call = { userId, tokenId, tokenLimited: true, channelId };
  const request = { userId, token: { id: tokenId, limited: true }, amount: 300 };
  await settle(await reserve(request), usageRecord({ ...call, quota: 300, other: { tags: ["a", "b"] } }));
  await settle(await reserve(request), usageRecord({ ...call, quota: 200, unlogged: true }));
  await settle(await reserve(request), usageRecord({ ...call, quota: 100, content: 'a "quoted"\nline' }));
  await flush();
  expect(await booksOf(own.main.sql, userId)).toMatchObject({
    quota: 400,
    used: 600,
    requests: 3,
    rows: 0,
    rolledUp: 600,
  });
  expect(await loggedOf(own.logs.sql, userId)).toMatchObject({ rows: 0 });
  await deliverAll();
  expect(await loggedOf(own.logs.sql, userId)).toEqual({ rows: 2, quota: 400, uncovered: 0, calls: 2, rolledUp: 400 });
  const [first, second] = await own.logs.sql`
    select tags, content, other, username, use_time, elapsed_ms, is_stream from logs where user_id = ${userId} order by id`;
  expect(first).toMatchObject({ tags: ["a", "b"], username: "tester", use_time: 1, elapsed_ms: 1234, is_stream: true });
  expect(second).toMatchObject({ tags: null, content: 'a "quoted"\nline' });
  expect(JSON.parse(first?.other)).toMatchObject({ tags: ["a", "b"], model_ratio: 1.25 });
  expect((await own.main.sql`select from log_deliveries`).length).toBe(0);
  await expectBooksRight();
});

test("costs of calls are in the log's sums alone, and moved there with what the main database has", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 10_000);
  const costing = (quota: number, upstream_cost: number) =>
    usageRecord({
      ...{ userId, quota, channelId: 77, modelName: "costly" },
      other: { admin_info: { use_channel: [], attempts: [], upstream_cost } },
    });
  const sums = (sql: typeof main.sql) => sql`select count::int, quota::int, cost::int from usage_costs`;
  const task = costing(300, 200);
  await applyBatch(main.sql, "p", [task, costing(50, 60)].map(recordText), { logElsewhere: true });
  await deliverAll();
  expect(await sums(main.sql)).toHaveLength(0);
  expect(await sums(logs.sql)).toMatchObject([{ count: 2, quota: 350, cost: 260 }]);
  const charge = { chargeId: task.requestId, createdAt: NOW, userId, tokenId: 0, channelId: 77 };
  const failed = { ...charge, task: { kind: "media", name: "song" } as const };
  await main.db.transaction((tx) => refundCharge(tx, failed, true));
  await deliverAll();
  expect(await sums(logs.sql)).toMatchObject([{ count: 2, quota: 50, cost: 60 }]);
  await applyBatch(main.sql, "p", [recordText(costing(10, 7))]);
  expect(await sums(main.sql)).toMatchObject([{ count: 1, quota: 10, cost: 7 }]);
  for await (const _ of moveLog(main));
  await deliverAll();
  expect(await sums(main.sql)).toHaveLength(0);
  expect(await sums(logs.sql)).toMatchObject([{ count: 3, quota: 60, cost: 67 }]);
});

test("what a balance does not cover is uncovered in the log too", async () => {
  const userId = await addUser(own.main.sql, 250);
  await applyBatch(own.main.sql, "p", [recordText(usageRecord({ userId, quota: 300 }))], { logElsewhere: true });
  await deliverAll();
  expect(await loggedOf(own.logs.sql, userId)).toMatchObject({ rows: 1, quota: 250, uncovered: 50, rolledUp: 250 });
});

test("batches that come again, from several processes at a time, are charged once and logged once", async () => {
  const { main } = own;
  const userId = await addUser(main.sql, 100_000);
  const records = Array.from({ length: 40 }, () => recordText(usageRecord({ userId, quota: 10 })));
  await applyBatch(main.sql, "p", records.slice(0, 20), { areNew: true, logElsewhere: true });
  const isDuplicate = applyBatch(main.sql, "p", records.slice(10, 30), { areNew: true, logElsewhere: true });
  await expect(isDuplicate).rejects.toMatchObject({ code: "23505" });
  await Promise.all([
    applyBatch(main.sql, "p", records.slice(10, 30), { logElsewhere: true }),
    applyOrphanBatch(main.sql, "dead", records),
    applyOrphanBatch(main.sql, "dead", records.slice(5)),
    deliverAll(),
    deliverAll(),
  ]);
  await applyOrphanBatch(main.sql, "dead", records);
  await deliverAll();
  expect(await booksOf(main.sql, userId)).toMatchObject({ quota: 99_600, used: 400, requests: 40, rows: 0 });
  expect(await loggedOf(own.logs.sql, userId)).toMatchObject({ rows: 40, quota: 400, calls: 40, rolledUp: 400 });
  await expectBooksRight();
});

test("the journal of a process that was killed is charged once and logged once", async () => {
  const { main } = own;
  const userId = await addUser(main.sql, 1000);
  const records = Array.from({ length: 3 }, () => recordText(usageRecord({ userId, quota: 100 })));
  await applyBatch(main.sql, "dead", records.slice(0, 1), { logElsewhere: true });
  await deliverAll();
  await applyBatch(main.sql, "dead", records.slice(1, 2), { logElsewhere: true });
  const orphan = join(directory.path, "journal", Bun.randomUUIDv7());
  mkdirSync(orphan, { recursive: true });
  appendFileSync(join(orphan, "00000001.jsonl"), linesOf(records).bytes);
  await open();
  await deliverAll();
  expect(await booksOf(main.sql, userId)).toMatchObject({ quota: 700, used: 300, requests: 3, rows: 0 });
  expect(await loggedOf(own.logs.sql, userId)).toMatchObject({ rows: 3, quota: 300, rolledUp: 300 });
});

test("answers that are lost, of either database, at any statement, lose no row and double none", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 1_000_000);
  let [left, statements] = [Number.POSITIVE_INFINITY, 0];
  const connection = (): Connection => {
    statements += 1;
    left -= 1;
    return left >= 0 ? "works" : statements % 2 === 0 ? "refuses" : "loses the answer";
  };
  const lost = Object.assign(new Error("connection lost"), { code: "CONNECTION_CLOSED" });
  let losesCommit = false;
  const begin = async (work: (tx: TransactionSql<{ bigint: number }>) => Promise<unknown>) => {
    const result = await logs.sql.begin(work);
    if (losesCommit) throw lost;
    return result;
  };
  const sql = new Proxy(logs.sql, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
  const parts = [{ sql: cuttable(main.sql, connection) }, { ...logs, sql }] as const;
  let deliverer = createDeliverer(...parts);
  for (let at = 0; at < 24; at += 1) {
    const texts = [1, 2, 3].map(() => recordText(usageRecord({ userId, quota: 10 })));
    await applyBatch(main.sql, "p", texts, { logElsewhere: true });
    left = at % 4;
    losesCommit = at % 5 === 0;
    await deliverer.deliver().catch(() => {});
    left = Number.POSITIVE_INFINITY;
    losesCommit = false;
    // A process that died forgets what it knew.
    if (at % 3 === 0) deliverer = createDeliverer(...parts);
  }
  await deliverAll(deliverer);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 72, quota: 720, calls: 72, rolledUp: 720 });
  expect(await booksOf(main.sql, userId)).toMatchObject({ used: 720 });
});

test("while the log's database is away charges go on, and it gets all of them when it is back", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 1_000_000);
  let isAway = true;
  const refuse = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
  const begin = (...input: Parameters<typeof logs.sql.begin>) => (isAway ? refuse() : logs.sql.begin(...input));
  const sql = new Proxy(logs.sql, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
  const delivery = startLogDelivery({ main, logs: { ...logs, sql }, log: silentLog });
  const { reserve, settle, flush } = await open();
  for (let at = 0; at < 20; at += 1) {
    await settle(await reserve({ userId, token: null, amount: 50 }), usageRecord({ userId, quota: 50 }));
  }
  await flush();
  expect(await booksOf(main.sql, userId)).toMatchObject({ used: 1000, requests: 20 });
  await until(() => delivery.status().isAway && delivery.status().waitingRows === 20);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 0 });
  isAway = false;
  await until(() => !delivery.status().isAway && delivery.status().waitingRows === 0);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 20, quota: 1000, rolledUp: 1000 });
  await delivery.close();
});

test("calls that waited one by one are written together, and each alone where one of them is refused", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 1_000_000);
  let writes = 0;
  const begin = (work: (tx: TransactionSql<{ bigint: number }>) => Promise<unknown>) =>
    logs.sql.begin((tx) => {
      const savepoint = (...input: Parameters<typeof tx.savepoint>) => {
        writes += 1;
        return tx.savepoint(...input);
      };
      return work(
        new Proxy(tx, { get: (target, name) => (name === "savepoint" ? savepoint : Reflect.get(target, name)) }),
      );
    });
  const sql = new Proxy(logs.sql, { get: (target, name) => (name === "begin" ? begin : Reflect.get(target, name)) });
  const deliverer = createDeliverer(main, { ...logs, sql });
  const callOneByOne = async (modelNames: readonly string[]) => {
    for (const modelName of modelNames) {
      const text = recordText(usageRecord({ userId, modelName, quota: 10, content: `"${modelName}", \\ and {` }));
      await applyBatch(main.sql, "p", [text], { logElsewhere: true });
    }
  };
  await callOneByOne(Array.from({ length: 120 }, () => "gpt-4o"));
  expect(await deliverer.deliver()).toEqual({ delivered: 120, isBusy: false });
  expect(writes).toBe(1);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 120, quota: 1200, calls: 120, rolledUp: 1200 });
  expect((await main.sql`select from log_deliveries`).length).toBe(0);

  await logs.sql`alter table logs add constraint no_odd check (model_name <> 'odd')`;
  await callOneByOne(["gpt-4o", "odd", "gpt-4o", "gpt-4o"]);
  await deliverAll(deliverer);
  expect(writes).toBe(1 + 1 + 4);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 123, quota: 1230, calls: 123, rolledUp: 1230 });
  await logs.sql`alter table logs drop constraint no_odd`;
  await main.sql`update log_deliveries set error = ''`;
  await deliverAll(deliverer);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 124, quota: 1240, calls: 124, rolledUp: 1240 });
  await expectBooksRight();
});

test("a row that the log's database refuses holds up no other", async () => {
  const { main, logs } = own;
  const userId = await addUser(main.sql, 1000);
  await logs.sql`alter table logs add constraint no_evil check (model_name <> 'evil')`;
  const texts = ["gpt-4o", "evil", "gpt-4o"].map((modelName) =>
    recordText(usageRecord({ userId, modelName, quota: 10 })),
  );
  await applyBatch(main.sql, "p", texts, { logElsewhere: true });
  const deliverer = createDeliverer(main, logs);
  await deliverAll(deliverer);
  expect(await deliverer.readWaiting()).toMatchObject({ waitingRows: 1, refused: 1 });
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 2, quota: 20, rolledUp: 20 });
  expect(await booksOf(main.sql, userId)).toMatchObject({ used: 30 });
  await logs.sql`alter table logs drop constraint no_evil`;
  await main.sql`update log_deliveries set error = ''`;
  await deliverAll(deliverer);
  expect(await loggedOf(logs.sql, userId)).toMatchObject({ rows: 3, quota: 30, rolledUp: 30 });
});

test("a refund takes the charge out of the log too, and events of users stand in both", async () => {
  const { main, logs } = own;
  const [userId, channelId] = [await addUser(main.sql, 1000), await addChannel(main.sql)];
  const record = usageRecord({ userId, channelId, quota: 300 });
  await applyBatch(main.sql, "p", [recordText(record)], { logElsewhere: true });
  await main.db.transaction(async (tx) => {
    const task = { kind: "media", name: "video" } as const;
    const charge = { chargeId: record.requestId, createdAt: NOW, userId, tokenId: 0, channelId, task };
    expect(await refundCharge(tx, charge, false)).toBe(300);
  });
  await deliverAll();
  expect(await loggedOf(logs.sql, userId)).toEqual({ rows: 1, quota: 0, uncovered: 0, calls: 1, rolledUp: 0 });
  const [row] = await logs.sql`select other from logs where request_id = ${record.requestId}`;
  expect(JSON.parse(row?.other)).toMatchObject({ refunded: 300, model_ratio: 1.25 });
  expect(await booksOf(main.sql, userId)).toMatchObject({ quota: 1000, used: 0 });
  await writeLog(main.db, { type: LOG_TYPE.topUp, userId, content: "Top-up", quota: 5 });
  await deliverAll();
  for (const { sql } of [main, logs]) {
    const events =
      await sql`select content, quota from logs where user_id = ${userId} and type <> 2 order by created_at, id`;
    expect(events.map(({ content, quota }) => [content, Number(quota)])).toEqual([
      ["Refund for the failed media task video", 300],
      ["Top-up", 5],
    ]);
  }
  await expectBooksRight();
});
