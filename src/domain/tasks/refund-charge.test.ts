import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  addBudget,
  addChannel,
  addToken,
  addUser,
  booksOf,
  budgetBooks,
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

const receiptOf = (id: number) => ({ id, scope: "project", name: "Website", period: "day" });

/** Somebody with two charges on one key, the first of them of a task. */
async function charged(isLogged: boolean) {
  const { sql } = database;
  const [userId, channelId] = [await addUser(sql, 1000), await addChannel(sql)];
  const tokenId = await addToken(sql, userId, 900);
  const budget = await addBudget(sql, userId, 320);
  const counted = { budgets: [budget], other: { budgets: [receiptOf(budget)] } };
  const call = {
    userId,
    tokenId,
    tokenLimited: true,
    channelId,
    ...counted,
    ...(!isLogged && { unlogged: true as const }),
  };
  const [first, second] = [usageRecord({ ...call, quota: 300 }), usageRecord({ ...call, quota: 50 })];
  await applyBatch(sql, "p", [recordText(first), recordText(second)]);
  return {
    userId,
    tokenId,
    channelId,
    budget,
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
  expect(await budgetBooks(database.sql, charge.budget)).toEqual({ remaining: 270, held: 0, spent: 50 });
  expect(await refund()).toBe(0);
  expect(await budgetBooks(database.sql, charge.budget)).toEqual({ remaining: 270, held: 0, spent: 50 });
  expect(await booksOf(database.sql, charge.userId)).toMatchObject({ quota: 950, used: 50, rolledUp: 50 });
  for (const book of ["users", "tokens", "channels", "hours", "budgets", "spending"] as const) {
    expect({ book, wrong: (await checkBooks(database.db, book, 0, NOW)).wrong }).toEqual({ book, wrong: [] });
  }
});

test("a charge goes back to the period of a budget that counted it, or to none", async () => {
  const { db, sql } = database;
  const refund = (charge: Awaited<ReturnType<typeof charged>>) =>
    db.transaction((tx) => refundCharge(tx, charge, true));
  const earlier = await charged(true);
  await sql`update budgets set period_start = ${NOW + 1}, spent = 40, remaining = 280 where id = ${earlier.budget}`;
  await refund(earlier);
  expect(await budgetBooks(sql, earlier.budget)).toEqual({ remaining: 280, held: 0, spent: 40 });
  const ahead = await charged(true);
  await sql`update budgets set renews_at = ${NOW}, spent_ahead = 350, spent = 7, remaining = 313 where id = ${ahead.budget}`;
  await refund(ahead);
  expect(await sql`select spent, spent_ahead, remaining from budgets where id = ${ahead.budget}`).toMatchObject([
    { spent: 7, spent_ahead: 50, remaining: 313 },
  ]);
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
  // Lists take the number of their rows from the hours.
  const hours = sql`select sum(count)::int as calls, sum(failed)::int as failed from usage_rollups where user_id = ${userId}`;
  expect(await hours).toMatchObject([{ calls: 1, failed: 1 }]);
  expect(await sql`select count(*)::int as calls from logs where user_id = ${userId} and type = 2`).toMatchObject([
    { calls: 1 },
  ]);
});

test("what the provider took for a task that failed goes back with its charge", async () => {
  const { sql, db } = database;
  const [userId, channelId] = [await addUser(sql, 1000), await addChannel(sql)];
  const costing = (quota: number, upstream_cost: number) =>
    usageRecord({
      ...{ userId, channelId, quota },
      other: { admin_info: { use_channel: [], attempts: [], upstream_cost } },
    });
  const [failed, other] = [costing(300, 210), costing(50, 35)];
  await applyBatch(sql, "p", [recordText(failed), recordText(other)]);
  const costs = () => sql`select count::int, quota::int, cost::int from usage_costs where channel_id = ${channelId}`;
  expect(await costs()).toMatchObject([{ count: 2, quota: 350, cost: 245 }]);
  const task = { kind: "media", name: "song" } as const;
  const charge = { chargeId: failed.requestId, createdAt: NOW, userId, tokenId: 0, channelId, task };
  const refund = () => db.transaction((tx) => refundCharge(tx, charge, true));
  expect([await refund(), await refund()]).toEqual([300, 0]);
  expect(await costs()).toMatchObject([{ count: 2, quota: 50, cost: 35 }]);
  const [row] = await sql<{ other: string }[]>`select other from logs where request_id = ${failed.requestId}`;
  expect(JSON.parse(row?.other ?? "")).toMatchObject({ refunded: 300, admin_info: { upstream_cost: 0 } });
});
