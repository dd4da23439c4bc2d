import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dropLogsBefore } from "../../db/maintenance/partitions.ts";
import { storedHoldName } from "../../db/schema/wallet/ledger.ts";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { checkBooks } from "../../src/billing/check-ledger/check-ledger.ts";
import { applyBatch, UNLOGGED_MEMORY_S } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import { InsufficientQuota } from "../../src/billing/ledger/errors.ts";
import { releaseDeadProcesses } from "../../src/billing/ledger/processes/registration.ts";
import { forgetUnlogged } from "../../src/server/jobs/jobs.ts";
import {
  addBudget,
  addToken,
  addUser,
  booksOf,
  budgetBooks,
  chargeFor,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

/** Budgets nest and are never overdrawn, whatever the interleaving of calls and processes. */

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

const open = (sole: boolean): Promise<Billing> =>
  createBilling({
    ...{ database, changes: database.changes, dataDir: directory.path, log: silentLog, sole },
    processId: Bun.randomUUIDv7(),
  });

const CALLS = 1000;
const PRICE = 7;
const COVERED = 10;

describe.each([
  ["one process that decides alone", [true]],
  ["four processes", [false, false, false, false]],
])("%s", (_, modes) => {
  test("1,000 parallel calls against key → project → organization, each with quota for 10: exactly 10", async () => {
    const { sql } = database;
    const processes = await Promise.all(modes.map(open));
    const limit = COVERED * PRICE;
    const userId = await addUser(sql, limit);
    const id = await addToken(sql, userId, limit);
    const budgets = [await addBudget(sql, userId, limit), await addBudget(sql, userId, limit)];
    const request = { userId, token: { id, limited: true }, budgets };
    let refused = 0;
    let granted = 0;
    const call = async (index: number) => {
      const billing = processes[index % processes.length] as Billing;
      try {
        const hold = await billing.reserve({ ...request, amount: PRICE });
        granted += 1;
        await Bun.sleep(index % 7);
        await billing.settle(hold, chargeFor(request, PRICE));
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        refused += 1;
      }
    };
    await Promise.all(Array.from({ length: CALLS }, (_, index) => call(index)));
    await Promise.all(processes.map((billing) => billing.flush()));
    expect({ granted, refused }).toEqual({ granted: COVERED, refused: CALLS - COVERED });
    await Promise.all(processes.map((billing) => billing.close()));
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, held: 0, used: limit, uncovered: 0 });
    expect(await tokenBooks(sql, id)).toMatchObject({ remain: 0, held: 0, used: limit });
    for (const budget of budgets) {
      expect(await budgetBooks(sql, budget)).toEqual({ remaining: 0, held: 0, spent: limit });
    }
  }, 60_000);

  test("many keys in projects that share an organization's budget: each level stops at its own limit", async () => {
    const { sql } = database;
    const processes = await Promise.all(modes.map(open));
    const userId = await addUser(sql, 10_000_000);
    const organization = await addBudget(sql, userId, 3000);
    const soft = await addBudget(sql, userId, 50, false);
    const limits = [400, 1000, 100_000];
    const projects = await Promise.all(limits.map((limit) => addBudget(sql, userId, limit)));
    const keys = await Promise.all(Array.from({ length: 30 }, () => addToken(sql, userId, 500)));
    const charged = new Map<number, number>();
    const add = (budget: number, amount: number) => charged.set(budget, (charged.get(budget) ?? 0) + amount);
    const call = async (index: number) => {
      const billing = processes[index % processes.length] as Billing;
      const token = { id: keys[(index * 13) % keys.length] as number, limited: true };
      const project = projects[(index * 7) % projects.length] as number;
      const amount = 1 + ((index * 31) % 40);
      await Bun.sleep(index % 23);
      try {
        const hold = await billing.reserve({ userId, token, budgets: [project, organization], amount });
        await Bun.sleep(index % 5);
        if (index % 4 === 0) return billing.refund(hold);
        const quota = index % 3 === 0 ? amount : Math.ceil(amount / 2);
        const budgets = [project, organization, soft];
        await billing.settle(hold, chargeFor({ userId, token, budgets }, quota));
        for (const budget of budgets) add(budget, quota);
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
      }
    };
    await Promise.all(Array.from({ length: CALLS * 2 }, (_, index) => call(index)));
    // How much the calls left depends on which came together; one after the other, whichever process they
    // reach, they get every unit of it, and not one more. Shares of other processes come home within a second.
    const rest = { token: { id: await addToken(sql, userId, 10_000), limited: true }, project: projects[2] as number };
    for (const [amount, patienceMs] of [
      [40, 0],
      [1, 1000],
    ] as const) {
      let refusedAt = Number.POSITIVE_INFINITY;
      for (let index = 0; ; index++) {
        const billing = processes[index % processes.length] as Billing;
        const request = { userId, token: rest.token, budgets: [rest.project, organization] };
        const hold = await billing.reserve({ ...request, amount }).catch((error) => error);
        if (hold instanceof Error) {
          expect(hold).toMatchObject({ who: "budget", id: organization });
          refusedAt = Math.min(refusedAt, performance.now());
          if (performance.now() - refusedAt >= patienceMs) break;
          await Bun.sleep(20);
          continue;
        }
        refusedAt = Number.POSITIVE_INFINITY;
        const budgets = [...request.budgets, soft];
        await billing.settle(hold, chargeFor({ ...request, budgets }, amount));
        for (const budget of budgets) add(budget, amount);
      }
    }
    await Promise.all(processes.map((billing) => billing.close()));
    const known = [
      [organization, 3000],
      [soft, 50],
      ...projects.map((id, index) => [id, limits[index] as number] as const),
    ] as const;
    for (const [id, limit] of known) {
      const spent = charged.get(id) ?? 0;
      expect(await budgetBooks(sql, id)).toEqual({ remaining: Math.max(0, limit - spent), held: 0, spent });
      if (id !== soft) expect(spent).toBeLessThanOrEqual(limit);
    }
    // The soft budget refused nothing.
    expect(charged.get(soft)).toBe(3000);
    expect(charged.get(organization)).toBe(3000);
  }, 60_000);
});

test("who refuses is named, and what was held before is free again", async () => {
  const { sql } = database;
  const billing = await open(false);
  const userId = await addUser(sql, 1000);
  const narrow = await addBudget(sql, userId, 500);
  const wide = await addBudget(sql, userId, 100);
  const reserve = (amount: number, budgets: number[]) => billing.reserve({ userId, token: null, budgets, amount });
  const refused = async () => reserve(101, [narrow, wide]);
  expect(refused()).rejects.toMatchObject({ who: "budget", id: wide, availableUnits: 100 });
  const hold = await reserve(500, [narrow]);
  billing.refund(hold);
  await billing.close();
  expect(await budgetBooks(sql, narrow)).toEqual({ remaining: 500, held: 0, spent: 0 });
});

test("a hold that outlives its process keeps its part of budgets until it is settled", async () => {
  const { sql } = database;
  const first = await open(false);
  const userId = await addUser(sql, 1000);
  const budget = await addBudget(sql, userId, 100);
  const request = { userId, token: null, budgets: [budget] };
  const name = Bun.randomUUIDv7();
  await first.keepHold(await first.reserve({ ...request, amount: 80 }), name);
  await first.close();
  expect(await budgetBooks(sql, budget)).toEqual({ remaining: 100, held: 80, spent: 0 });

  const second = await open(false);
  const tooMuch = async () => second.reserve({ ...request, amount: 21 });
  expect(tooMuch()).rejects.toMatchObject({ who: "budget", id: budget, availableUnits: 20 });
  const record = chargeFor(request, 30);
  for (let attempt = 0; attempt < 2; attempt++) {
    await second.settleStored({ name, userId, tokenId: 0, budgets: [budget] }, [record]);
  }
  second.refund(await second.reserve({ ...request, amount: 70 }));
  await second.close();
  expect(await budgetBooks(sql, budget)).toEqual({ remaining: 70, held: 0, spent: 30 });
});

test("the books check budgets", async () => {
  const { db, sql } = database;
  const userId = await addUser(sql, 1000);
  const budget = await addBudget(sql, userId, 100);
  const wrong = async () => (await checkBooks(db, "budgets", budget - 1, NOW)).wrong;
  expect(await wrong()).toEqual([]);
  await sql`update budgets set spent = 40, remaining = 61 where id = ${budget}`;
  expect(await wrong()).toMatchObject([{ id: budget, stored: 61, added: 60 }]);
  await sql`update budgets set remaining = 60, held = 5 where id = ${budget}`;
  expect(await wrong()).toMatchObject([{ id: budget, stored: 65, added: 60 }]);
  await sql`update budgets set held = 0 where id = ${budget}`;
});

test("charges count in the period of their call, also in one that has yet to begin; the books add them to the unit", async () => {
  const { db, sql } = database;
  const userId = await addUser(sql, 100_000);
  const budget = await addBudget(sql, userId, 1000);
  const soft = await addBudget(sql, userId, 1, false);
  const [start, end] = [NOW - 500, NOW - 100];
  await sql`update budgets set period_start = ${start}, renews_at = ${end} where id = ${budget}`;
  const wrong = async () => (await checkBooks(db, "spending", budget - 1, NOW)).wrong;
  const write = async (createdAt: number, quota: number, isLogged: boolean) => {
    const record = chargeFor({ userId, token: null, budgets: [budget, soft] }, quota);
    await applyBatch(sql, "p", [recordText({ ...record, createdAt, ...(!isLogged && { unlogged: true }) })]);
  };
  await sql`update budgets set period_start = ${start - 1} where id = ${soft}`;
  for (const isLogged of [true, false]) {
    await write(start - 1, 3, isLogged);
    await write(start, 20, isLogged);
    await write(end - 1, 100, isLogged);
    await write(end, 5, isLogged);
  }
  const [row] = await sql`select remaining, spent, spent_ahead from budgets where id = ${budget}`;
  expect(row).toEqual({ remaining: 760, spent: 240, spent_ahead: 10 });
  expect((await budgetBooks(sql, soft)).spent).toBe(256);
  expect(await wrong()).toEqual([]);
  await sql`update budgets set spent = spent + 1 where id = ${budget}`;
  expect(await wrong()).toMatchObject([{ id: budget, stored: 251, added: 250 }]);
  await sql`update budgets set spent = spent - 1 where id = ${budget}`;
  // What is cleared of the log, and forgotten of calls that were not logged, stays counted.
  expect(await dropLogsBefore(database, end)).toBeGreaterThan(2);
  expect(await wrong()).toEqual([]);
  expect(await forgetUnlogged(database, end + UNLOGGED_MEMORY_S)).toBe(3);
  expect(await wrong()).toEqual([]);
});

test("what a dead process held of budgets is free again", async () => {
  const { sql } = database;
  const billing = await open(false);
  const userId = await addUser(sql, 1000);
  const budget = await addBudget(sql, userId, 100);
  const name = Bun.randomUUIDv7();
  await billing.keepHold(await billing.reserve({ userId, token: null, budgets: [budget], amount: 60 }), name);
  await releaseDeadProcesses(sql, { ids: [storedHoldName(name)] });
  await billing.close();
  expect(await budgetBooks(sql, budget)).toEqual({ remaining: 100, held: 0, spent: 0 });
});
