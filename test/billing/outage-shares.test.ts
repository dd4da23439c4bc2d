import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../src/billing/ledger/errors.ts";
import {
  addToken,
  addUser,
  booksOf,
  type Connection,
  chargeFor,
  cuttable,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/lib/until.ts";

/** What each process may spend while the database is away, and that the books are exact afterwards. */

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let opened: Process[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterEach(async () => {
  for (const process of opened) process.connection = "works";
  for (const process of opened) await process.billing.close();
  opened = [];
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

type Process = { billing: Billing; connection: Connection };
type Payer = Readonly<{ userId: number; token: Readonly<{ id: number; limited: boolean }> | null }>;

async function open(outageSpendRatio?: number): Promise<Process> {
  const process = { connection: "works" as Connection } as Process;
  process.billing = await createBilling({
    database: { sql: cuttable(database.sql, () => process.connection), kind: database.kind },
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
    sole: false,
    ...(outageSpendRatio !== undefined && { outageSpendRatio }),
  });
  opened.push(process);
  await until(() => process.billing.status().balancesKnown);
  return process;
}

/** Opens so many processes that know of each other. */
async function openTogether(count: number): Promise<Process[]> {
  const processes: Process[] = [];
  while (processes.length < count) processes.push(await open());
  return processes;
}

const cut = (...processes: readonly Process[]) => {
  for (const process of processes) process.connection = "refuses";
};
const restore = (...processes: readonly Process[]) => {
  for (const process of processes) process.connection = "works";
};

/** Makes calls of `amount` until one is refused; each is charged what it held. Returns how many went through, and the refusal. */
async function spend({ billing }: Process, payer: Payer, amount: number, most = Number.POSITIVE_INFINITY) {
  for (let count = 0; count < most; count++) {
    try {
      billing.settle(await billing.reserve({ ...payer, amount }), chargeFor(payer, amount));
    } catch (refusal) {
      return { count, refusal };
    }
  }
  return { count: most, refusal: null };
}

describe("the only process, the database away", () => {
  test("spends all of the balance of a user who was never seen, and no more", async () => {
    const userId = await addUser(database.sql, 1000);
    const process = await open();
    cut(process);
    const payer = { userId, token: null };
    const { count, refusal } = await spend(process, payer, 70);
    expect([count, refusal]).toEqual([14, expect.any(InsufficientQuota)]);
    expect(await spend(process, payer, 20)).toMatchObject({ count: 1, refusal: expect.any(InsufficientQuota) });
    restore(process);
    await process.billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, used: 1000, rows: 15, uncovered: 0 });
  });

  test("keeps to the limit of a key, spends what a user holds when it goes, and receives changes before", async () => {
    const userId = await addUser(database.sql, 100);
    const token = { id: await addToken(database.sql, userId, 10), limited: true };
    const unlimited = { id: await addToken(database.sql, userId, null), limited: false };
    const process = await open();
    await process.billing.reserve({ userId, token, amount: 1 });
    const neverSeen = await addUser(database.sql, 0);
    await database.sql`update users set quota = 1000 where id in (${userId}, ${neverSeen})`;
    await database.sql`update tokens set remain_quota = 300 where id = ${token.id}`;
    await database.changes.publish("users", [userId, neverSeen]);
    await database.changes.publish("tokens", [token.id]);
    cut(process);
    expect((await spend(process, { userId, token }, 10)).count).toBe(29);
    expect((await spend(process, { userId, token: unlimited }, 10)).count).toBe(70);
    expect((await spend(process, { userId: neverSeen, token: null }, 500)).count).toBe(2);
    restore(process);
    await process.billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 10, used: 990, uncovered: 0 });
    expect(await tokenBooks(database.sql, token.id)).toMatchObject({ remain: 10, used: 290 });
    expect(await booksOf(database.sql, neverSeen)).toMatchObject({ quota: 0, uncovered: 0 });
  });

  test.each([
    [0.5, 5],
    [0, 0],
  ])("spends the part that OUTAGE_SPEND_RATIO %p says", async (ratio, expected) => {
    const userId = await addUser(database.sql, 1000);
    const process = await open(ratio);
    cut(process);
    const { count, refusal } = await spend(process, { userId, token: null }, 100);
    expect([count, refusal]).toEqual([expected, expect.any(LedgerUnavailable)]);
    restore(process);
    await until(async () => (await spend(process, { userId, token: null }, 100, 1)).count === 1);
  });

  test("turns away who is not known, and takes calls of all again when the database is back", async () => {
    const process = await open();
    const userId = await addUser(database.sql, 1000);
    cut(process);
    const payer = { userId, token: null };
    expect(await spend(process, payer, 1)).toMatchObject({ count: 0, refusal: expect.any(LedgerUnavailable) });
    restore(process);
    await until(async () => (await spend(process, payer, 10, 1)).count === 1);
  });
});

describe("several processes, the database away", () => {
  test.each([2, 4])("each of %p spends its share, and all of it is covered", async (count) => {
    const processes = await openTogether(count);
    const userId = await addUser(database.sql, 1000);
    const payer = { userId, token: null };
    await database.changes.publish("users", [userId]);
    cut(...processes);
    const spent = await Promise.all(processes.map((process) => spend(process, payer, 10)));
    expect(spent.map(({ count }) => count)).toEqual(processes.map(() => 100 / count));
    expect(spent[0]?.refusal).toBeInstanceOf(LedgerUnavailable);
    restore(...processes);
    // Calls that come as the database returns may not take what other processes have spent.
    const late = await Promise.all(processes.map((process) => spend(process, payer, 10)));
    await Promise.all(processes.map(({ billing }) => billing.flush()));
    expect(late.every(({ count }) => count === 0)).toBe(true);
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, used: 1000, rows: 100, uncovered: 0 });
  });

  test("who comes back first does not spend what the other has spent", async () => {
    const [first, second] = (await openTogether(2)) as [Process, Process];
    const userId = await addUser(database.sql, 1000);
    const payer = { userId, token: null };
    await database.changes.publish("users", [userId]);
    cut(first, second);
    expect((await spend(first, payer, 100, 1)).count).toBe(1);
    expect((await spend(second, payer, 100, 5)).count).toBe(5);
    restore(first);
    const { count } = await spend(first, payer, 100, 4);
    expect(count).toBe(4);
    const beyond = spend(first, payer, 100, 1);
    restore(second);
    expect((await beyond).count).toBe(0);
    await Promise.all([first, second].map(({ billing }) => billing.flush()));
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, used: 1000, rows: 10, uncovered: 0 });
  });

  test("one that is cut off alone spends no more than its share, and what that overdraws stands next to the charges", async () => {
    const [connected, isolated] = (await openTogether(2)) as [Process, Process];
    const userId = await addUser(database.sql, 1000);
    const payer = { userId, token: null };
    await database.changes.publish("users", [userId]);
    cut(isolated);
    expect((await spend(isolated, payer, 10)).count).toBe(50);
    expect((await spend(connected, payer, 10)).count).toBe(100);
    restore(isolated);
    await Promise.all([connected, isolated].map(({ billing }) => billing.flush()));
    const { quota, used, uncovered, rows } = await booksOf(database.sql, userId);
    expect({ quota, used, uncovered, rows }).toEqual({ quota: 0, used: 1000, uncovered: 500, rows: 150 });
  });

  test("one that left before has left its share to the others; what others charge is known to all", async () => {
    const [staying, leaving] = (await openTogether(2)) as [Process, Process];
    const [userId, spentElsewhere] = [await addUser(database.sql, 1000), await addUser(database.sql, 1000)];
    await database.changes.publish("users", [userId, spentElsewhere]);
    await spend(leaving, { userId: spentElsewhere, token: null }, 300, 1);
    await leaving.billing.close();
    opened = [staying];
    await until(async () => {
      const trial = await addUser(database.sql, 10);
      await database.changes.publish("users", [trial]);
      cut(staying);
      const { count } = await spend(staying, { userId: trial, token: null }, 10, 1);
      restore(staying);
      await staying.billing.flush();
      return count === 1;
    });
    cut(staying);
    expect((await spend(staying, { userId, token: null }, 100)).count).toBe(10);
    expect((await spend(staying, { userId: spentElsewhere, token: null }, 100)).count).toBe(7);
    restore(staying);
    await staying.billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, uncovered: 0 });
    expect(await booksOf(database.sql, spentElsewhere)).toMatchObject({ quota: 0, used: 1000, uncovered: 0 });
  }, 60_000);
});
