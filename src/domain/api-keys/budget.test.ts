import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { tokens } from "../../../db/schema/api-keys.ts";
import {
  addToken,
  addUser,
  chargeFor,
  silentLog,
  temporaryDirectory,
} from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { type Billing, createBilling } from "../../billing/billing.ts";
import { periodEnd } from "../../lib/values/calendar-period.ts";
import { readStanding, renewBudgets } from "./budget.ts";

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let billing: Billing;
beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
  billing = await createBilling({
    database,
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
  });
});
afterAll(async () => {
  await billing.close();
  await database.close();
  await directory.remove();
});

test("a key's standing is its own, its owner's is that of the account", async () => {
  const { db } = database;
  const [user] = await db
    .insert(users)
    .values({ username: "ann", quota: 900, usedQuota: 100, affCode: "A", createdAt: 1 })
    .returning({ id: users.id });
  const userId = user?.id ?? 0;
  const [token] = await db
    .insert(tokens)
    .values({ userId, name: "k", keyHash: "h", keyCipher: "c", remainQuota: 30, usedQuota: 7, createdTime: 1 })
    .returning({ id: tokens.id });
  expect(await readStanding(db, { tokenId: token?.id ?? 0 })).toEqual({ remaining: 30, used: 7 });
  expect(await readStanding(db, { userId })).toEqual({ remaining: 900, used: 100 });
  expect(await readStanding(db, { tokenId: 999 })).toEqual({ remaining: 0, used: 0 });
});

const seconds = (text: string): number => Date.parse(text) / 1000;
const settings = fixedSettings({ CheckInTimeZone: "Asia/Shanghai" });
const deps = () => ({ db: database.db, changes: database.changes, settings });

describe("a period ends at the zone's midnight", () => {
  test.each([
    ["day", "UTC", "2026-03-10T23:59:59Z", "2026-03-11T00:00:00Z"],
    ["day", "Asia/Shanghai", "2026-03-10T15:59:59Z", "2026-03-10T16:00:00Z"],
    ["day", "Asia/Shanghai", "2026-03-10T16:00:00Z", "2026-03-11T16:00:00Z"],
    // The clocks go forward on 29 March 2026: that day has 23 hours.
    ["day", "Europe/Brussels", "2026-03-28T23:30:00Z", "2026-03-29T22:00:00Z"],
    ["week", "UTC", "2026-11-21T11:00:00Z", "2026-11-23T00:00:00Z"],
    ["week", "UTC", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"],
    ["month", "UTC", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"],
    ["month", "America/New_York", "2026-02-01T04:59:59Z", "2026-02-01T05:00:00Z"],
  ])("%s in %s at %s: %s", async (period, zone, now, end) => {
    const [row] = await database.db.execute<{ ends: number }>(
      sql`select ${periodEnd(sql`${period}::text`, zone, seconds(now))}::float8 as ends`,
    );
    expect(new Date((row?.ends ?? 0) * 1000).toISOString()).toBe(new Date(end).toISOString());
  });
});

async function addBudgetKey(budget: number, left: number, renewsAt: number) {
  const userId = await addUser(database.sql, 1_000_000);
  const id = await addToken(database.sql, userId, left);
  const values = { budgetPeriod: "day", budgetQuota: budget, budgetRenewsAt: renewsAt, status: left > 0 ? 1 : 4 };
  await database.db.update(tokens).set(values).where(eq(tokens.id, id));
  return { userId, id };
}
const read = async (id: number) => {
  const [row] = await database.db.select().from(tokens).where(eq(tokens.id, id));
  return row;
};
const token = (id: number) => ({ id, limited: true });

test("what a call spends of a budget is used up until the period ends, then there is exactly the budget again", async () => {
  const { userId, id } = await addBudgetKey(1000, 1000, seconds("2026-03-10T16:00:00Z"));
  const spend = async (amount: number) => {
    const hold = await billing.reserve({ userId, token: token(id), amount });
    billing.settle(hold, chargeFor({ userId, token: token(id) }, amount));
  };
  await spend(700);
  expect(spend(400)).rejects.toMatchObject({ who: "token", availableUnits: 300 });
  await billing.flush();
  expect(await renewBudgets(deps(), [id], seconds("2026-03-10T15:59:59Z"))).toBe(0);
  expect((await read(id))?.remainQuota).toBe(300);

  // Ten ask at the turn of the day: one renews.
  const now = seconds("2026-03-10T16:00:00Z");
  const renewals = await Promise.all(Array.from({ length: 10 }, () => renewBudgets(deps(), [id], now)));
  expect(renewals.reduce((sum, count) => sum + count)).toBe(1);
  expect(await read(id)).toMatchObject({ remainQuota: 1000, budgetRenewsAt: seconds("2026-03-11T16:00:00Z") });
  // The ledger knows at once, and gives not a unit more.
  await spend(1000);
  expect(spend(1)).rejects.toMatchObject({ who: "token" });
  await billing.flush();
  expect(await read(id)).toMatchObject({ remainQuota: 0, usedQuota: 1700 });
});

test("a used-up key works again after days without a call, a disabled one stays so; others are left alone", async () => {
  const renewsAt = seconds("2026-03-10T16:00:00Z");
  const now = seconds("2026-03-20T01:00:00Z");
  await renewBudgets(deps(), undefined, now);
  const usedUp = await addBudgetKey(50, 0, renewsAt);
  const off = await addBudgetKey(50, 20, renewsAt);
  await database.db.update(tokens).set({ status: 2 }).where(eq(tokens.id, off.id));
  const later = await addBudgetKey(50, 20, now + 1);
  const plain = await addToken(database.sql, later.userId, 7);
  expect(await renewBudgets(deps(), undefined, now)).toBe(2);
  const next = seconds("2026-03-20T16:00:00Z");
  expect(await read(usedUp.id)).toMatchObject({ status: 1, remainQuota: 50, budgetRenewsAt: next });
  expect(await read(off.id)).toMatchObject({ status: 2, remainQuota: 50, budgetRenewsAt: next });
  expect(await read(later.id)).toMatchObject({ remainQuota: 20, budgetRenewsAt: now + 1 });
  expect(await read(plain)).toMatchObject({ remainQuota: 7, budgetRenewsAt: 0 });
});
