import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { addUser, booksOf, chargeFor, silentLog } from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { type Billing, createBilling } from "../billing.ts";
import { InsufficientQuota } from "./errors.ts";

setDefaultTimeout(120_000);

let database: TestDatabase;
/** One process, or two that share a database server. */
let processes: readonly Billing[];
beforeAll(async () => {
  database = await openTestDatabase();
  const start = (name: string) =>
    createBilling({
      ...{ database, changes: database.changes, log: silentLog },
      dataDir: join(database.dataDir, name),
      processId: Bun.randomUUIDv7(),
    });
  processes = database.kind === "server" ? [await start("a"), await start("b")] : [await start("a")];
});
afterAll(async () => {
  for (const billing of processes) await billing.close();
  await database.close();
});

const billingOf = (index: number): Billing => {
  const billing = processes[index % processes.length];
  if (!billing) throw new Error("there is no process");
  return billing;
};
/** True when it was covered. */
const outcome = async (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error) => {
      if (error instanceof InsufficientQuota) return false;
      throw error;
    },
  );
const transfer = (index: number, from: number, to: number, amount: number) =>
  outcome(billingOf(index).transfer(database.db, { from, to, amount }, async () => {}));
const call = async (index: number, userId: number, amount: number) => {
  const request = { userId, token: null, amount };
  const reserveAndSettle = async () => {
    const hold = await billingOf(index).reserve(request);
    await Bun.sleep(index % 7);
    await billingOf(index).settle(hold, chargeFor(request, amount));
  };
  return outcome(reserveAndSettle());
};
const balances = async (...ids: readonly number[]) =>
  Promise.all(ids.map(async (id) => (await booksOf(database.sql, id)).quota));
const settled = () => Promise.all(processes.map((billing) => billing.flush()));

test("transfers and calls at the same time never take more than there is", async () => {
  for (let round = 0; round < 5; round += 1) {
    const [person, organization] = [await addUser(database.sql, 1000), await addUser(database.sql, 0)];
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? transfer(index / 2, person, organization, 100) : call((index - 1) / 2, person, 100),
      ),
    );
    await settled();
    const moved = outcomes.filter((covered, index) => covered && index % 2 === 0).length;
    const called = outcomes.filter((covered, index) => covered && index % 2 === 1).length;
    expect(moved + called).toBeGreaterThan(0);
    expect(moved + called).toBeLessThanOrEqual(10);
    expect(await booksOf(database.sql, person)).toMatchObject({
      quota: 1000 - 100 * (moved + called),
      used: 100 * called,
      uncovered: 0,
    });
    expect(await balances(organization)).toEqual([100 * moved]);
  }
});

test("transfers in both directions at once lose nothing and wait for each other in no circle", async () => {
  const [person, organization] = [await addUser(database.sql, 500), await addUser(database.sql, 500)];
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      index % 2 === 0 ? transfer(index, person, organization, 90) : transfer(index, organization, person, 70),
    ),
  );
  expect(outcomes).toContain(true);
  const [left = 0, right = 0] = await balances(person, organization);
  expect(left + right).toBe(1000);
  expect(Math.min(left, right)).toBeGreaterThanOrEqual(0);
});

test("what a call holds cannot be moved, in whichever process it runs, and can be afterwards", async () => {
  const [person, organization] = [await addUser(database.sql, 300), await addUser(database.sql, 0)];
  const hold = await billingOf(0).reserve({ userId: person, token: null, amount: 200 });
  expect(await transfer(1, person, organization, 101)).toBe(false);
  expect(await transfer(1, person, organization, 100)).toBe(true);
  expect(await transfer(0, person, organization, 1)).toBe(false);
  billingOf(0).refund(hold);
  expect(await transfer(0, person, organization, 200)).toBe(true);
  expect(await balances(person, organization)).toEqual([0, 300]);
  expect(await call(0, person, 1)).toBe(false);
  expect(await call(0, organization, 300)).toBe(true);
  await settled();
  expect(await balances(organization)).toEqual([0]);
});

test("a transfer whose work fails moves nothing and holds nothing", async () => {
  const [person, organization] = [await addUser(database.sql, 300), await addUser(database.sql, 0)];
  const failing = billingOf(0).transfer(database.db, { from: person, to: organization, amount: 300 }, async () => {
    throw new Error("not allowed any more");
  });
  expect(failing).rejects.toThrow("not allowed any more");
  await failing.catch(() => {});
  expect(await balances(person, organization)).toEqual([300, 0]);
  expect(await transfer(0, person, organization, 300)).toBe(true);
  expect(
    await outcome(
      billingOf(0).transfer(database.db, { from: organization, to: 2_000_000_000, amount: 1 }, async () => {}),
    ),
  ).toBe(false);
});
