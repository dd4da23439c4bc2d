import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Billing, createBilling } from "../../src/billing/billing.ts";
import { checkBooks } from "../../src/billing/check-ledger/check-ledger.ts";
import { InsufficientQuota } from "../../src/billing/ledger/errors.ts";
import { releaseExpired } from "../../src/billing/ledger/processes/lost-processes.ts";
import {
  addToken,
  addUser,
  booksOf,
  NOW,
  silentLog,
  temporaryDirectory,
  tokenBooks,
  usageRecord,
} from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

/** Holds that outlive processes: what batches may cost stays set aside until they are over. */

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

const start = (sole: boolean): Promise<Billing> => {
  const { changes } = database;
  const processId = Bun.randomUUIDv7();
  return createBilling({ database, changes, dataDir: directory.path, processId, log: silentLog, sole });
};

async function payer(quota: number) {
  const userId = await addUser(database.sql, quota);
  const tokenId = await addToken(database.sql, userId, quota);
  const name = Bun.randomUUIDv7();
  return { userId, tokenId, name, token: { id: tokenId, limited: true } };
}
type Payer = Awaited<ReturnType<typeof payer>>;

const reserve = async (billing: Billing, { userId, token }: Payer, amount: number) =>
  billing.reserve({ userId, token, amount });

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const records = ({ userId, tokenId, name }: Payer, ...quotas: number[]) =>
  quotas.map((quota, at) =>
    usageRecord({ userId, tokenId, tokenLimited: true, quota, requestId: `${name}:${at}`, createdAt: NOW }),
  );
const standing = async ({ userId, tokenId }: Payer) => {
  const user = await booksOf(database.sql, userId);
  const key = await tokenBooks(database.sql, tokenId);
  return { quota: user.quota, held: user.held, remain: key.remain, keyHeld: key.held, rows: user.rows };
};
async function expectBooksRight(): Promise<void> {
  for (const book of ["holds", "users", "tokens"] as const) {
    expect((await checkBooks(database.db, book, 0, NOW)).wrong).toEqual([]);
  }
}

describe.each([
  ["alone on its database", true],
  ["with others on its database", false],
])("a process %s", (_, sole) => {
  test("keeps a hold beyond its end; what is left can be spent, and no more", async () => {
    const who = await payer(1000);
    const first = await start(sole);
    await first.keepHold(await reserve(first, who, 700), who.name);
    expect(await standing(who)).toMatchObject({ quota: 1000, remain: 1000 });
    expect(await refusal(reserve(first, who, 301))).toBeInstanceOf(InsufficientQuota);
    first.refund(await reserve(first, who, 300));
    await first.close();

    const second = await start(sole);
    // Neither a start nor a search for processes that died takes it for one of theirs.
    await releaseExpired(database.sql, "nobody", () => false);
    expect(await standing(who)).toMatchObject({ held: 700, keyHeld: 700 });
    expect(await refusal(reserve(second, who, 301))).toBeInstanceOf(InsufficientQuota);
    second.refund(await reserve(second, who, 300));

    await second.settleStored(who, records(who, 150, 50));
    second.refund(await reserve(second, who, 800));
    expect(await refusal(reserve(second, who, 801))).toBeInstanceOf(InsufficientQuota);
    await second.close();
    expect(await standing(who)).toEqual({ quota: 800, held: 0, remain: 800, keyHeld: 0, rows: 2 });
    await expectBooksRight();
  });

  test("settles once, however often and by however many it is tried", async () => {
    const who = await payer(1000);
    const billing = await start(sole);
    await billing.keepHold(await reserve(billing, who, 500), who.name);
    await billing.keepHold(await reserve(billing, who, 400), `${who.name}-other`);
    await Promise.all([1, 2, 3].map(() => billing.settleStored(who, records(who, 120))));
    await billing.settleStored(who, records(who, 120));
    // The other's hold is its own.
    expect(await standing(who)).toMatchObject({ quota: 880, remain: 880, rows: 1 });
    expect(await refusal(reserve(billing, who, 481))).toBeInstanceOf(InsufficientQuota);
    await billing.settleStored({ ...who, name: `${who.name}-other` }, []);
    billing.refund(await reserve(billing, who, 880));
    await billing.close();
    expect(await standing(who)).toEqual({ quota: 880, held: 0, remain: 880, keyHeld: 0, rows: 1 });
    await expectBooksRight();
  });

  test("goes on where a process died between charge and release", async () => {
    const who = await payer(1000);
    const billing = await start(sole);
    await billing.keepHold(await reserve(billing, who, 500), who.name);
    // The first of two records is in the log already, its part of the hold is spent.
    await billing.settleStored(who, records(who, 100));
    await billing.settleStored(who, records(who, 100, 70));
    await billing.close();
    expect(await standing(who)).toEqual({ quota: 830, held: 0, remain: 830, keyHeld: 0, rows: 2 });
  });

  test("charges more than was held out of the balance, never below zero", async () => {
    const who = await payer(100);
    const billing = await start(sole);
    await billing.keepHold(await reserve(billing, who, 10), who.name);
    await billing.settleStored(who, records(who, 130));
    await billing.close();
    expect(await standing(who)).toMatchObject({ quota: 0, held: 0, remain: 0, keyHeld: 0 });
    expect((await booksOf(database.sql, who.userId)).uncovered).toBe(30);
  });

  test("never keeps and spends more than there is, whatever comes at the same time", async () => {
    const who = await payer(1000);
    const billing = await start(sole);
    const keep = async (at: number) => {
      const hold = await reserve(billing, who, 90).catch(() => null);
      return hold === null ? 0 : billing.keepHold(hold, `${who.name}-${at}`).then(() => 90);
    };
    const spend = async (at: number) => {
      const hold = await reserve(billing, who, 60).catch(() => null);
      if (!hold) return 0;
      const [record] = records({ ...who, name: `${who.name}-call-${at}` }, 60);
      if (record) billing.settle(hold, record);
      return 60;
    };
    const work = Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? keep(at) : spend(at)));
    const taken = (await Promise.all(work)).reduce((sum, units) => sum + units, 0);
    await billing.flush();
    expect(taken).toBeLessThanOrEqual(1000);
    expect(taken).toBeGreaterThan(900);
    const { uncovered, used } = await booksOf(database.sql, who.userId);
    expect([uncovered, used % 60]).toEqual([0, 0]);
    for (let at = 0; at < 24; at += 2) await billing.settleStored({ ...who, name: `${who.name}-${at}` }, []);
    await billing.close();
    expect(await standing(who)).toMatchObject({ quota: 1000 - used, held: 0, remain: 1000 - used, keyHeld: 0 });
    await expectBooksRight();
  });
});

test("where the balance is used up after all, nothing stays held", async () => {
  const who = await payer(1000);
  const billing = await start(true);
  const hold = await reserve(billing, who, 700);
  // Taken by an administrator, unheard of.
  await database.sql`update users set quota = 100 where id = ${who.userId}`;
  expect(await refusal(billing.keepHold(hold, who.name))).toBeInstanceOf(Error);
  expect(await standing(who)).toMatchObject({ held: 0, keyHeld: 0 });
  billing.refund(await reserve(billing, who, 100));
  await billing.close();
});
