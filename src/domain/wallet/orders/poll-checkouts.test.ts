import { afterAll, beforeAll, expect, test } from "bun:test";
import { topUpOrders } from "../../../../db/schema/wallet/wallet.ts";
import { addUser } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { expireOrders } from "./poll-checkouts.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test("orders that nobody has paid for a day expire; paid and new ones stay", async () => {
  const { db, sql } = database;
  const userId = await addUser(sql, 0);
  const now = 1_000_000;
  const order = (tradeNo: string, age: number, status: string) => ({
    userId,
    tradeNo,
    status,
    method: "zfb",
    quota: 1,
    money: "1.00",
    createdTime: now - age,
  });
  await db
    .insert(topUpOrders)
    .values([order("old", 86_401, "pending"), order("new", 86_400, "pending"), order("paid", 90_000, "success")]);
  expect(await expireOrders(db, now)).toBe(1);
  expect(await expireOrders(db, now)).toBe(0);
  const rows = await db.select({ tradeNo: topUpOrders.tradeNo, status: topUpOrders.status }).from(topUpOrders);
  expect(Object.fromEntries(rows.map(({ tradeNo, status }) => [tradeNo, status]))).toEqual({
    old: "expired",
    new: "pending",
    paid: "success",
  });
});
