import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../db/testing.ts";
import { type Billing, createBilling } from "./billing.ts";
import { InsufficientQuota } from "./ledger/errors.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  chargeFor,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "./testing.ts";

/** Whatever the interleaving of calls and processes: no balance is overdrawn and all books say the same. */

const SPENDERS = 1000;

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
    database,
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
    sole,
  });

/** A sequence that looks random and is the same in each run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Spending = Readonly<{ granted: number; refused: number; charged: number }>;

/** Parallel calls with random holds; each is charged at most what it held, or refunded. */
async function spend(
  processes: readonly Billing[],
  userId: number,
  tokens: readonly Readonly<{ id: number; limited: boolean }>[],
  channelId: number,
  random: (below: number) => number,
): Promise<Spending> {
  const sum = { granted: 0, refused: 0, charged: 0 };
  const call = async (index: number) => {
    const billing = processes[index % processes.length] as Billing;
    const token = tokens[random(tokens.length)] ?? null;
    await Bun.sleep(random(60));
    for (let round = 0; round < 3; round++) {
      const request = { userId, token, amount: random(120) };
      try {
        const hold = await billing.reserve(request);
        sum.granted++;
        await Bun.sleep(random(20));
        const quota = random(request.amount + 1);
        if (random(4) === 0) billing.refund(hold);
        else {
          billing.settle(hold, { ...chargeFor(request, quota), channelId });
          sum.charged += quota;
        }
      } catch (error) {
        if (!(error instanceof InsufficientQuota)) throw error;
        sum.refused++;
      }
    }
  };
  await Promise.all(Array.from({ length: SPENDERS }, (_, index) => call(index)));
  return sum;
}

describe.each([
  ["one process, memory decides", [true]],
  ["one process among possible others", [false]],
  ["two processes, one database", [false, false]],
  ["three processes, one database", [false, false, false]],
])("%s", (_, modes) => {
  test.each([
    ["hardly anything", 3000],
    ["about half of what is asked", 60_000],
    ["more than enough", 1_000_000],
  ])(
    "1,000 parallel spenders of a balance of %s",
    async (_, balance) => {
      const { sql } = database;
      const processes = await Promise.all(modes.map(open));
      const userId = await addUser(sql, balance);
      const channelId = await addChannel(sql);
      const limits = [Math.floor(balance / 3), Math.floor(balance / 2)];
      const limited = await Promise.all(limits.map((limit) => addToken(sql, userId, limit)));
      const unlimited = { id: await addToken(sql, userId, null), limited: false };
      const tokens = [...limited.map((id) => ({ id, limited: true })), unlimited];

      let watching = true;
      const lowest = { quota: balance, held: balance };
      const watch = (async () => {
        while (watching) {
          const { quota, held } = await booksOf(sql, userId);
          lowest.quota = Math.min(lowest.quota, quota);
          lowest.held = Math.min(lowest.held, held);
          await Bun.sleep(5);
        }
      })();
      const spent = await spend(processes, userId, tokens, channelId, randomFrom(balance + modes.length));
      await Promise.all(processes.map((billing) => billing.flush()));
      watching = false;
      await watch;

      const books = await booksOf(sql, userId);
      expect(lowest.quota).toBeGreaterThanOrEqual(0);
      expect(lowest.held).toBeGreaterThanOrEqual(0);
      expect(spent.granted).toBeGreaterThan(0);
      if (balance < 100_000) expect(spent.refused).toBeGreaterThan(0);
      else expect(spent.refused).toBe(0);
      expect(books).toMatchObject({
        used: spent.charged,
        logged: spent.charged,
        rolledUp: spent.charged,
        uncovered: 0,
      });
      expect(books.quota).toBe(balance - spent.charged);
      const [channel] = await sql`select used_quota from channels where id = ${channelId}`;
      expect(channel?.used_quota).toBe(spent.charged);
      for (const [index, id] of limited.entries()) {
        const { remain, used, logged } = await tokenBooks(sql, id);
        expect({ remain, used }).toEqual({ remain: (limits[index] as number) - logged, used: logged });
      }
      expect((await tokenBooks(sql, unlimited.id)).used).toBe((await tokenBooks(sql, unlimited.id)).logged);

      await Promise.all(processes.map((billing) => billing.close()));
      expect((await booksOf(sql, userId)).held).toBe(0);
      for (const id of limited) expect((await tokenBooks(sql, id)).held).toBe(0);
    },
    30_000,
  );
});

test("the whole balance can be spent, to the last unit, through either of two processes", async () => {
  const userId = await addUser(database.sql, 5000);
  const processes = await Promise.all([open(false), open(false)]);
  let spent = 0;
  const drain = async (billing: Billing) => {
    for (let misses = 0; misses < 100; ) {
      try {
        billing.settle(
          await billing.reserve({ userId, token: null, amount: 1 }),
          chargeFor({ userId, token: null }, 1),
        );
        spent++;
      } catch {
        misses++;
        await Bun.sleep(10);
      }
    }
  };
  await Promise.all(processes.map(drain));
  await Promise.all(processes.map((billing) => billing.close()));
  expect(spent).toBe(5000);
  expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 0, held: 0, used: 5000, uncovered: 0 });
});
