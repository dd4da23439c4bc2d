import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { applyBatch } from "../../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import { linesOf } from "../../../src/billing/journal/segments/segment.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
  usageRecord,
} from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let billing: Billing | null = null;
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterEach(async () => {
  await billing?.close();
  billing = null;
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

const open = async (): Promise<Billing> => {
  const { changes } = database;
  const dataDir = directory.path;
  billing = await createBilling({ database, changes, dataDir, processId: Bun.randomUUIDv7(), log: silentLog });
  return billing;
};

async function expectBooksRight(): Promise<void> {
  for (const book of ["users", "tokens", "channels", "hours", "holds"] as const) {
    expect({ book, wrong: (await checkBooks(database.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
}

test("a call that is not logged is charged like others, and no row, hour or total shows it", async () => {
  const { sql } = database;
  const [userId, channelId] = [await addUser(sql, 1000), await addChannel(sql)];
  const tokenId = await addToken(sql, userId, 800);
  const { reserve, settle, flush } = await open();
  const call = { userId, tokenId, tokenLimited: true, channelId };
  const request = { userId, token: { id: tokenId, limited: true }, amount: 300 };
  settle(await reserve(request), usageRecord({ ...call, quota: 300, unlogged: true }));
  settle(await reserve(request), usageRecord({ ...call, quota: 200, unlogged: true }));
  settle(await reserve(request), usageRecord({ ...call, quota: 100 }));
  await flush();
  expect(await booksOf(sql, userId)).toMatchObject({
    quota: 400,
    used: 600,
    requests: 3,
    rows: 1,
    rolledUp: 600,
  });
  expect(await tokenBooks(sql, tokenId)).toMatchObject({ remain: 200, used: 600, logged: 100 });
  const hours = await sql`select hour, count, quota from usage_rollups where user_id = ${userId} and hour >= 0`;
  expect(hours.map(({ count, quota }) => [Number(count), Number(quota)])).toEqual([[1, 100]]);
  await expectBooksRight();
});

test("what balances do not cover is written next to them", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 250);
  await applyBatch(sql, "p", [recordText(usageRecord({ userId, quota: 300, unlogged: true }))]);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, used: 250, rows: 0, rolledUp: 250 });
  const [note] = await sql`select quota, uncovered from unlogged_calls where user_id = ${userId}`;
  expect([Number(note?.quota), Number(note?.uncovered)]).toEqual([250, 50]);
});

test("a charge that comes again, from the journal of a dead process or a second writer, is made once", async () => {
  const { sql } = database;
  const userId = await addUser(sql, 1000);
  const records = Array.from({ length: 4 }, (_, index) =>
    usageRecord({ userId, quota: 100, ...(index % 2 === 0 && { unlogged: true as const }) }),
  );
  const texts = records.map(recordText);
  const written = texts.slice(0, 2);
  await applyBatch(sql, "dead", written);
  await applyBatch(sql, "dead", written);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 800, rows: 1 });
  for (let round = 0; round < 2; round++) {
    const left = join(directory.path, "journal", Bun.randomUUIDv7());
    mkdirSync(left, { recursive: true });
    appendFileSync(join(left, "00000001.jsonl"), linesOf(texts).bytes);
    await (await open()).close();
    billing = null;
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 600, used: 400, requests: 4, rows: 2, rolledUp: 400 });
  }
  await expectBooksRight();
});
