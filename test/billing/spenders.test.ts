import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { InsufficientQuota } from "../../src/billing/ledger/errors.ts";
import {
  addChannel,
  addToken,
  addUser,
  booksOf,
  chargeFor,
  silentLog,
  temporaryDirectory,
  tokenBooks,
} from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

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
        const quota = random(2) === 0 ? request.amount : random(request.amount + 1);
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

test("the whole balance can be spent, to the last unit and no further, through either of two processes", async () => {
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

test("three processes, many users and keys, several channels, balances topped up meanwhile: all books agree", async () => {
  const { sql, changes } = database;
  const random = randomFrom(7);
  const errors: unknown[] = [];
  const processes = await Promise.all([open(false), open(false), open(false)]);
  const userIds = await Promise.all(Array.from({ length: 60 }, () => addUser(sql, 2000)));
  const keys = await Promise.all(userIds.map((userId) => addToken(sql, userId, 1500)));
  const channels = await Promise.all(Array.from({ length: 5 }, () => addChannel(sql)));
  let working = true;
  let toppedUp = 0;
  const topUps = (async () => {
    while (working) {
      const userId = userIds[random(userIds.length)] as number;
      await sql`update users set quota = quota + 50 where id = ${userId}`;
      toppedUp += 50;
      await changes.publish("users", [userId]);
      await Bun.sleep(2);
    }
  })();
  const call = async () => {
    const index = random(userIds.length);
    const token = random(2) ? { id: keys[index] as number, limited: true } : null;
    const request = { userId: userIds[index] as number, token, amount: random(60) };
    const billing = processes[random(3)] as Billing;
    try {
      const hold = await billing.reserve(request);
      await Bun.sleep(random(15));
      const channelId = channels[random(channels.length)] as number;
      if (random(5) === 0) billing.refund(hold);
      else billing.settle(hold, { ...chargeFor(request, random(request.amount + 1)), channelId });
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) errors.push(error);
    }
  };
  const spender = async () => {
    for (let round = 0; round < 50; round++) await call();
  };
  await Promise.all(Array.from({ length: 100 }, spender));
  working = false;
  await topUps;
  await Promise.all(processes.map((billing) => billing.close()));
  expect(errors).toEqual([]);
  const [sums] = await sql`
    select sum(u.quota)::bigint as left, sum(u.held)::bigint as held, sum(u.used_quota)::bigint as used,
      (select sum(quota)::bigint from logs where user_id = any(${userIds}::int[])) as logged,
      (select sum(uncovered)::bigint from logs where user_id = any(${userIds}::int[])) as uncovered,
      (select sum(quota)::bigint from usage_rollups where user_id = any(${userIds}::int[])) as "rolledUp",
      (select sum(used_quota)::bigint from channels where id = any(${channels}::int[])) as channels,
      (select sum(held)::bigint from tokens where id = any(${keys}::int[])) as "keysHeld",
      (select count(*)::int from holds) as holds
    from users u where id = any(${userIds}::int[])`;
  const charged = sums?.logged;
  expect(charged).toBeGreaterThan(0);
  expect(sums).toEqual({
    left: userIds.length * 2000 + toppedUp - charged,
    held: 0,
    used: charged,
    logged: charged,
    uncovered: 0,
    rolledUp: charged,
    channels: charged,
    keysHeld: 0,
    holds: 0,
  });
}, 240_000);
