import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../../../db/types.ts";
import {
  addUser,
  booksOf,
  NOW,
  temporaryDirectory,
  usageRecord,
} from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { applyBatch } from "../apply/apply-batch.ts";
import { recordText } from "../apply/record-text.ts";
import { inspectJournal } from "../inspect-journal.ts";
import { makeClaimedDirectory } from "../segments/adopt-orphans.ts";
import { linesOf, segmentName } from "../segments/segment.ts";
import { RejectedRecords } from "./rejected.ts";
import { acknowledgeRejected, listRejected, replayRejected } from "./replay-rejected.ts";

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let userId: number;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  directory = await temporaryDirectory();
  userId = await addUser(database.sql, 1000);
});
afterEach(() => directory.remove());

const path = () => new RejectedRecords(directory.path).path;

const UNCHARGED = { reason: "refused", isCharged: false };

/** Puts charges of 100 aside, the second of them damaged. */
async function reject() {
  const rejected = new RejectedRecords(directory.path);
  const records = Array.from({ length: 3 }, () => usageRecord({ userId, quota: 100 }));
  for (const [index, record] of records.entries()) {
    const text = recordText(record);
    const raw = Buffer.concat([Buffer.from("00000000 "), Buffer.from(text)]);
    const damage = { raw, file: "p/00000001.jsonl", offset: 7, reason: "damaged" };
    if (index === 1)
      await rejected.add("process", { text: null, end: 0, damage }, { ...UNCHARGED, reason: damage.reason });
    else await rejected.add("process", { text, end: 0 }, { ...UNCHARGED, reason: "the database refused it" });
  }
  expect(rejected.count()).toBe(3);
  return { rejected, records };
}

test("valid records are charged once, damaged ones when they were repaired", async () => {
  const { sql } = database;
  const { rejected } = await reject();
  const first = await replayRejected(sql, directory.path, {});
  expect(first).toMatchObject({ known: 0, left: [{ number: 2, reason: expect.stringContaining("damaged") }] });
  expect(first.charged).toHaveLength(2);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 800, used: 200, rows: 2, uncovered: 0 });
  expect(rejected.count()).toBe(1);

  const { raw, ...entry } = JSON.parse(readFileSync(path(), "utf8"));
  expect(Buffer.from(raw, "base64").toString()).toContain(entry.readable.requestId);
  const repaired = JSON.stringify({ ...entry, record: entry.readable });
  // Twice, with one whose record is invalid and a line that is empty.
  const wrong = JSON.stringify({ ...entry, record: { ...entry.readable, quota: "free" } });
  writeFileSync(path(), `${repaired}\n${wrong}\nnonsense\n${repaired}\n`);
  const second = await replayRejected(sql, directory.path, {});
  expect(second).toMatchObject({ charged: [{ requestId: entry.readable.requestId }], known: 1 });
  expect(second.left.map(({ reason }) => reason)).toEqual([
    "its record is not valid: quota is missing or wrong",
    "the line is no JSON object of this file",
  ]);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 700, used: 300, rows: 3, rolledUp: 300 });
  expect(readFileSync(path(), "utf8")).toBe(`${wrong}\nnonsense\n`);

  expect(await acknowledgeRejected(directory.path)).toBe(2);
  expect(rejected.count()).toBe(0);
  expect(await listRejected(directory.path)).toEqual([]);
  expect(readFileSync(join(directory.path, "rejected.acknowledged.jsonl"), "utf8")).toContain("nonsense");
});

test("a replay that was killed or failed loses nothing, what the gateway adds meanwhile stays", async () => {
  const { records, rejected } = await reject();
  renameSync(path(), join(directory.path, "rejected.replaying.1.jsonl"));
  await rejected.add("process", { text: recordText(usageRecord({ userId, quota: 50 })), end: 0 }, UNCHARGED);
  const away = Object.assign(() => {}, { begin: () => Promise.reject(new Error("away")) }) as unknown as Sql;
  await expect(replayRejected(away, directory.path, {})).rejects.toThrow("away");
  expect(await listRejected(directory.path)).toHaveLength(4);
  await applyBatch(database.sql, "process", [recordText(records[0] as (typeof records)[0])]);
  expect(await replayRejected(database.sql, directory.path, {})).toMatchObject({ known: 1, left: [{ number: 2 }] });
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 750, used: 250, rows: 3 });
});

test("what the log may have forgotten is charged only by force", async () => {
  const { sql } = database;
  const rejected = new RejectedRecords(directory.path);
  const old = usageRecord({ userId, quota: 100, createdAt: NOW - 1000 });
  await rejected.add("process", { text: recordText(old), end: 0 }, UNCHARGED);
  await sql`insert into options (key, value) values ('_logs_cleared_before', ${String(NOW - 500)})`;
  const careful = await replayRejected(sql, directory.path, {});
  expect(careful).toMatchObject({ charged: [], left: [{ reason: expect.stringContaining("--force") }] });
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 1000 });
  expect(await replayRejected(sql, directory.path, { force: true })).toMatchObject({ left: [] });
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 900, rows: 1 });
  await sql`delete from options where key = '_logs_cleared_before'`;
});

test("a journal is inspected without touching it: whose it is, and what is not in the database", async () => {
  const { sql } = database;
  const claim = makeClaimedDirectory(directory.path, "living");
  mkdirSync(join(directory.path, "dead"));
  const records = Array.from({ length: 4 }, (_, index) => usageRecord({ userId, quota: 10, createdAt: NOW - index }));
  const bytes = records.map((record) => Buffer.from(linesOf([recordText(record)]).bytes));
  const [first, second] = bytes as [Buffer, Buffer];
  writeFileSync(join(directory.path, "living", segmentName(1)), Buffer.concat(bytes));
  const damaged = Buffer.from(second);
  damaged[12] = 0x41;
  writeFileSync(join(directory.path, "dead", segmentName(1)), Buffer.concat([first, damaged, second.subarray(0, 20)]));
  await applyBatch(sql, "dead", records.slice(0, 2).map(recordText));
  expect(await inspectJournal(sql, directory.path)).toEqual([
    {
      ...{ process: "dead", inUse: false, files: 1, bytes: first.length + second.length + 20 },
      ...{ records: 1, damaged: 2, unwritten: 0, oldestUnwrittenAt: null },
    },
    {
      ...{ process: "living", inUse: true, files: 1, bytes: Buffer.concat(bytes).length },
      ...{ records: 4, damaged: 0, unwritten: 2, oldestUnwrittenAt: NOW - 3 },
    },
  ]);
  expect(await inspectJournal(null, directory.path)).toMatchObject([{ unwritten: null }, { unwritten: null }]);
  expect(readdirSync(join(directory.path, "dead"))).toContain(segmentName(1));
  claim.release();
});
