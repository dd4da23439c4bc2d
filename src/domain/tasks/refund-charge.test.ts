import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  NOW,
  tokenBooks,
  usageRecord,
} from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { checkBooks } from "../../billing/check-ledger/check-ledger.ts";
import { applyBatch } from "../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../billing/journal/apply/record-text.ts";
import { refundCharge } from "./refund-charge.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Somebody with two charges on one key, the first of them of a task. */
async function charged(isLogged: boolean) {
  const { sql } = database;
  const [userId, channelId] = [await addUser(sql, 1000), await addChannel(sql)];
  const tokenId = await addToken(sql, userId, 900);
  const call = { userId, tokenId, tokenLimited: true, channelId, ...(!isLogged && { unlogged: true as const }) };
  const [first, second] = [usageRecord({ ...call, quota: 300 }), usageRecord({ ...call, quota: 50 })];
  await applyBatch(sql, "p", [recordText(first), recordText(second)]);
  return {
    userId,
    tokenId,
    channelId,
    chargeId: first.requestId,
    createdAt: NOW,
    task: { kind: "drawing", name: "17" } as const,
  };
}

test.each([
  ["logged", true],
  ["not logged", false],
])("a charge of a call that was %s goes back once, everywhere it was counted", async (_, isLogged) => {
  const charge = await charged(isLogged);
  const refund = () => database.db.transaction((tx) => refundCharge(tx, charge, true));
  expect(await refund()).toBe(300);
  expect(await booksOf(database.sql, charge.userId)).toMatchObject({ quota: 950, used: 50, rolledUp: 50 });
  expect(await tokenBooks(database.sql, charge.tokenId)).toMatchObject({ remain: 850, used: 50 });
  expect(await refund()).toBe(0);
  expect(await booksOf(database.sql, charge.userId)).toMatchObject({ quota: 950, used: 50, rolledUp: 50 });
  for (const book of ["users", "tokens", "channels", "hours"] as const) {
    expect({ book, wrong: (await checkBooks(database.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
});

test.each([true, false])("a charge that is void before it is written is never made (logged: %p)", async (isLogged) => {
  const { sql, db } = database;
  const userId = await addUser(sql, 1000);
  const record = usageRecord({ userId, quota: 300, ...(!isLogged && { unlogged: true as const }) });
  const task = { kind: "media", name: "song" } as const;
  const charge = { chargeId: record.requestId, createdAt: NOW, userId, tokenId: 0, channelId: 0, task };
  expect(await db.transaction((tx) => refundCharge(tx, charge, false))).toBeNull();
  expect(await db.transaction((tx) => refundCharge(tx, charge, true))).toBe(0);
  await applyBatch(sql, "p", [recordText(record)]);
  expect(await booksOf(sql, userId)).toMatchObject({ quota: 1000, used: 0, rolledUp: 0 });
});
