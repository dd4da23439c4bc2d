import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { usageRollups } from "../../../db/schema/logs/logs.ts";
import { redemptionCodes, redemptionUses } from "../../../db/schema/wallet/codes.ts";
import { agents, checkIns, rebates, topUpOrders, withdrawals } from "../../../db/schema/wallet/wallet.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { BOOKS, type BookSlice } from "../../billing/check-ledger/check-ledger.ts";
import { LOG_TYPE, writeLog, writeManagementLog } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { bookRoutes } from "./diagnostics.ts";

let app: TestConsole;
let root: Record<string, string>;
let userId: number;
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => bookRoutes(services, guarded));
  userId = await app.addUser("ann");
  await app.addUser("root", "root");
  root = await app.login("root");
});
afterAll(() => app.close());

const check = async (book: string, query = "") =>
  (await app.ask("GET", `/api/books/${book}${query}`, undefined, root)).body.data as BookSlice;
const hour = nowSeconds() - (nowSeconds() % 3600);
const rollUp = (quota: number, uncovered = 0) =>
  app.db.insert(usageRollups).values({
    ...{ hour, userId, username: "ann", tokenId: 0, tokenName: "", channelId: 0, modelName: "m", group: "default" },
    ...{ quota, uncovered, count: 1 },
  });

const changed = (id: number) => ({
  note: { code: "user_changed" as const, params: { name: "", id } },
  action: "update" as const,
  user_id: id,
});

test("books of a new site are right", async () => {
  for (const book of BOOKS) expect(await check(book)).toMatchObject({ wrong: [], next: null });
  expect((await check("hours")).checked).toBeGreaterThanOrEqual(24);
});

test("the page learns when all books were last checked, and what was off", async () => {
  const overview = async () => (await app.ask("GET", "/api/books/", undefined, root)).body.data;
  expect(await overview()).toMatchObject({ last_check: null });
  await app.ask("POST", "/api/books/checked", { checked: 40, off: 0 }, root);
  const { body } = await app.ask("POST", "/api/books/checked", { checked: 42, off: 1 }, root);
  expect(body.data).toMatchObject({ username: "root", checked: 42, off: 1 });
  expect(await overview()).toMatchObject({ last_check: body.data });
  expect((await app.ask("POST", "/api/books/checked", { checked: -1, off: 0 }, root)).body.success).toBe(false);
});

test("a sum that is off by one unit is shown, with both sides", async () => {
  await rollUp(100, 7);
  await app.db.update(users).set({ usedQuota: 99 }).where(sql`${users.id} = ${userId}`);
  const wrong = [{ id: userId, name: "ann", stored: 99, added: 100 }];
  expect(await check("users")).toMatchObject({ wrong });
  expect(await check("users", `?after=${userId}`)).toMatchObject({ wrong: [] });
  expect(await check("hours")).toMatchObject({ wrong: [{ id: hour, stored: 100, added: 0 }] });
  await app.db.update(users).set({ usedQuota: 100, held: 5 });
  expect((await check("users")).wrong.filter(({ id }) => id === userId)).toEqual([]);
  expect((await check("holds")).wrong[0]).toMatchObject({ stored: 5, added: 0 });
  expect((await app.ask("GET", "/api/books/", undefined, root)).body.data).toMatchObject({ uncovered: 7 });
});

test("a used code without a use is shown", async () => {
  await app.db.insert(redemptionCodes).values({ key: "k", name: "spring", quota: 1, status: 3, createdTime: 1 });
  expect(await check("codes")).toMatchObject({ wrong: [{ name: "spring", stored: 1, added: 0 }] });
});

test("a balance is all that was credited less what was used; a planted unit is shown", async () => {
  const id = await app.addUser("bea");
  const balance = async () => (await check("balances")).wrong.filter((off) => off.id === id);
  expect(await balance()).toEqual([]);
  const at = { userId: id, createdTime: 1 };
  await app.db.insert(topUpOrders).values([
    { ...at, tradeNo: "a", method: "x", quota: 1000, money: "1", status: "success" },
    { ...at, tradeNo: "b", method: "x", quota: 5000, money: "1", status: "pending" },
  ]);
  const [code] = await app.db
    .insert(redemptionCodes)
    .values({ key: "c", name: "code", quota: 200, status: 3, createdTime: 1 })
    .returning({ id: redemptionCodes.id });
  await app.db.insert(redemptionUses).values({ codeId: code?.id ?? 0, userId: id, quota: 200, usedTime: 1 });
  await app.db.insert(rebates).values([
    { ...at, rechargeQuota: 1, quota: 30, kind: "cashback" },
    { ...at, rechargeQuota: 1, quota: 9999, kind: "dividend" },
  ]);
  await app.db.insert(checkIns).values({ ...at, day: "2026-01-01", quota: 4 });
  await app.db.insert(agents).values({ ...at, rate: "5", balance: 10, earned: 100 });
  await app.db.insert(withdrawals).values([
    { ...at, quota: 40, status: "paid" },
    { ...at, quota: 7, status: "rejected" },
  ]);
  await writeLog(app.db, { type: LOG_TYPE.system, userId: id, content: "Quota for a new user", quota: 600 });
  const rootId = Number(root["Sluice-User"]);
  await writeManagementLog(app.db, { id: rootId }, "Changed", { ...changed(id), quota_delta: -100 });
  // 1000 + 200 + 30 + 4 + (100 − 10 − 40) + 600 − 100, and 3 of 5 rewards transferred.
  const credited = 1787;
  const set = (quota: number) =>
    app.db
      .update(users)
      .set({ quota, usedQuota: 500, affHistoryQuota: 5, affQuota: 2 })
      .where(sql`${users.id} = ${id}`);
  await set(credited - 500);
  expect(await balance()).toEqual([]);
  await set(credited - 499);
  expect(await balance()).toEqual([{ id, name: "bea", stored: credited + 1, added: credited }]);
});

test("what an administrator changed stays right when they are one no more", async () => {
  const id = await app.addUser("cem");
  const adminId = await app.addUser("formerly", "admin");
  await writeManagementLog(app.db, { id: adminId }, "Changed", { ...changed(id), quota_delta: 250 });
  await app.db.update(users).set({ quota: 250 }).where(sql`${users.id} = ${id}`);
  const balance = async () => (await check("balances")).wrong.filter((off) => off.id === id);
  expect(await balance()).toEqual([]);
  await app.db.update(users).set({ role: 1 }).where(sql`${users.id} = ${adminId}`);
  expect(await balance()).toEqual([]);
});

test("is for super admins", async () => {
  await app.addUser("admin", "admin");
  const admin = await app.login("admin");
  for (const path of ["", "users"]) {
    expect((await app.ask("GET", `/api/books/${path}`, undefined, admin)).body.code).toBe("permission_denied");
    expect((await app.ask("GET", `/api/books/${path}`)).status).toBe(401);
  }
  expect((await app.ask("GET", "/api/books/secrets", undefined, root)).status).toBe(400);
});
