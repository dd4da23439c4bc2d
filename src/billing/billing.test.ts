import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  addBudget,
  addChannel,
  addToken,
  addUser,
  booksOf,
  chargeFor,
  silentLog,
  temporaryDirectory,
  tokenBooks,
  usageRecord,
} from "../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { type Billing, createBilling } from "./billing.ts";
import { recordText } from "./journal/apply/record-text.ts";
import { InsufficientQuota } from "./ledger/errors.ts";

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let opened: Billing[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterEach(async () => {
  for (const billing of opened) await billing.close();
  opened = [];
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

async function open(options: { sole?: boolean; onExhausted?: (ids: number[]) => void } = {}): Promise<Billing> {
  const billing = await createBilling({
    database,
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
    ...options,
  });
  opened.push(billing);
  return {
    ...billing,
    async close() {
      opened = opened.filter((other) => other !== billing);
      await billing.close();
    },
  };
}

/** One process alone, and one that must share its balances with others. */
const MODES = [
  ["alone", { sole: true }],
  ["with other processes", { sole: false }],
] as const;

describe.each(MODES)("%s", (_, mode) => {
  test("counters: a settled call is charged once everywhere: user, key, channel, log, roll-up", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 10_000);
    const tokenId = await addToken(sql, userId, 5000);
    const channelId = await addChannel(sql);
    const request = { userId, token: { id: tokenId, limited: true }, amount: 700 };
    const hold = await billing.reserve(request);
    billing.settle(hold, { ...chargeFor(request, 300), channelId });
    billing.settle(hold, { ...chargeFor(request, 300), channelId });
    billing.refund(hold);
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({
      quota: 9700,
      used: 300,
      requests: 1,
      logged: 300,
      rows: 1,
      rolledUp: 300,
    });
    expect(await tokenBooks(sql, tokenId)).toMatchObject({ remain: 4700, used: 300, logged: 300 });
    const [channel] = await sql`select used_quota from channels where id = ${channelId}`;
    expect(channel?.used_quota).toBe(300);
    await billing.close();
    expect(await booksOf(sql, userId)).toMatchObject({ held: 0 });
    expect(await tokenBooks(sql, tokenId)).toMatchObject({ held: 0 });
  });

  test("what counts as spent before the database has it is to the unit what the database charges", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 10_000);
    const request = { userId, token: null, amount: 1.5 };
    const hold = await billing.reserve(request);
    expect([hold.amount, billing.available(userId)]).toEqual([2, 9998]);
    void billing.settle(hold, chargeFor(request, 299.2));
    for (const quota of [0.1, Number.NaN, -5]) void billing.record(chargeFor(request, quota));
    expect(billing.available(userId)).toBe(9699);
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 9699, used: 301, logged: 301 });
    expect(billing.available(userId)).toBe(9699);
  });

  test("a key whose last unit is charged becomes exhausted, once; an unlimited or disabled one does not", async () => {
    const { sql } = database;
    const exhausted: number[] = [];
    const billing = await open({ ...mode, onExhausted: (ids: number[]) => exhausted.push(...ids) });
    const userId = await addUser(sql, 10_000);
    const spent = await addToken(sql, userId, 300);
    const partly = await addToken(sql, userId, 301);
    const disabled = await addToken(sql, userId, 300);
    const unlimited = await addToken(sql, userId, null);
    await sql`update tokens set status = 2 where id = ${disabled}`;
    for (const id of [spent, partly, disabled, unlimited]) {
      const request = { userId, token: { id, limited: id !== unlimited }, amount: 300 };
      billing.settle(await billing.reserve(request), chargeFor(request, 300));
    }
    await billing.flush();
    const rows = await sql<{ id: number; status: number }[]>`select id, status from tokens where user_id = ${userId}`;
    expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [spent, 4],
        [partly, 1],
        [disabled, 2],
        [unlimited, 1],
      ]),
    );
    expect(exhausted).toEqual(expect.arrayContaining([spent]));
    expect(exhausted).not.toContain(partly);
  });

  test("unlimited keys: are counted and not limited", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 10_000);
    const token = { id: await addToken(sql, userId, null), limited: false };
    const request = { userId, token, amount: 700 };
    billing.settle(await billing.reserve(request), chargeFor(request, 300));
    await billing.flush();
    expect(await tokenBooks(sql, token.id)).toMatchObject({ remain: 0, used: 300 });
  });

  test("refund: leaves the balance as it was", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    billing.refund(await billing.reserve({ userId, token: null, amount: 1000 }));
    billing.refund(await billing.reserve({ userId, token: null, amount: 1000 }));
    await billing.close();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 1000, held: 0, used: 0, requests: 0, rows: 0 });
  });

  test("trust rule: what is held can't be held again, however ample the balance", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    const hold = await billing.reserve({ userId, token: null, amount: 600 });
    const refused = await reasonOf(billing, { userId, token: null, amount: 401 });
    expect(refused).toMatchObject({ name: "InsufficientQuota", who: "user", availableUnits: 400 });
    billing.refund(hold);
    expect(await billing.reserve({ userId, token: null, amount: 1000 })).toMatchObject({ amount: 1000 });
  });

  test("take: user and key must both cover the call, or neither is held", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 1000);
    const token = { id: await addToken(sql, userId, 100), limited: true };
    expect(await reasonOf(billing, { userId, token, amount: 101 })).toMatchObject({
      who: "token",
      availableUnits: 100,
    });
    expect(await reasonOf(billing, { userId, token, amount: 1001 })).toMatchObject({
      who: "user",
      availableUnits: 1000,
    });
    expect(await billing.reserve({ userId, token: null, amount: 1000 })).toMatchObject({ amount: 1000 });
  });

  test("a call that costs nothing needs no balance: not of its user, nor of its key and budgets", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 0);
    const token = { id: await addToken(sql, userId, 0), limited: true };
    const budgets = [await addBudget(sql, userId, 500)];
    await sql`update budgets set remaining = 0, spent = 500 where id = ${budgets[0] ?? 0}`;
    const request = { userId, token, budgets, amount: 0 };
    const hold = await billing.reserve(request);
    expect(hold).toMatchObject({ amount: 0 });
    expect(await reasonOf(billing, { ...request, amount: 1 })).toBeInstanceOf(InsufficientQuota);
    await billing.settle(hold, chargeFor(request, 0));
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({ quota: 0, held: 0, used: 0, requests: 1, uncovered: 0 });
  });

  test("a known solvent user's hold waits for nothing", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1_000_000_000);
    billing.refund(await billing.reserve({ userId, token: null, amount: 1 }));
    for (let call = 0; call < 100; call++) {
      const reserved = billing.reserve({ userId, token: null, amount: 1000 });
      const endOfTurn = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
      const hold = await Promise.race([reserved, endOfTurn]);
      if (!hold) throw new Error("the hold waited for the database");
      billing.settle(hold, usageRecord({ userId, quota: 900 }));
    }
    await billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({
      quota: 1_000_000_000 - 90_000,
      rows: 100,
      uncovered: 0,
    });
  });

  test("difference: a charge beyond hold and balance stops at zero, and says what was not covered", async () => {
    const { sql } = database;
    const billing = await open(mode);
    const userId = await addUser(sql, 1000);
    const token = { id: await addToken(sql, userId, 300), limited: true };
    const request = { userId, token, amount: 200 };
    const holds = [await billing.reserve(request), await billing.reserve({ userId, token: null, amount: 800 })];
    billing.settle(holds[0] as never, chargeFor(request, 700));
    billing.settle(holds[1] as never, usageRecord({ userId, quota: 800 }));
    await billing.flush();
    expect(await booksOf(sql, userId)).toMatchObject({
      quota: 0,
      used: 1000,
      logged: 1000,
      uncovered: 500,
      rolledUp: 1000,
    });
    expect(await tokenBooks(sql, token.id)).toMatchObject({ remain: 0, used: 700 });
    expect(billing.available(userId)).toBe(0);
  });

  test("zero rule: failed calls and calls without tokens are logged but count as no request", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    billing.record(usageRecord({ userId, quota: 0, failed: true }));
    billing.record(usageRecord({ userId, quota: 0, promptTokens: 0, completionTokens: 0 }));
    billing.record(usageRecord({ userId, quota: 0 }));
    await billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 1000, used: 0, requests: 1, rows: 3 });
  });

  test("a top-up is known as soon as it is published", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 10);
    await reasonOf(billing, { userId, token: null, amount: 100 });
    await database.sql`update users set quota = quota + 1000 where id = ${userId}`;
    await database.changes.publish("users", [userId]);
    expect(billing.available(userId)).toBe(1010);
    expect(await billing.reserve({ userId, token: null, amount: 1010 })).toMatchObject({ amount: 1010 });
  });

  test("text that Postgres can't store costs characters, not the record", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    const nasty = 'a\u0000b\ud800c "\\u0000" 漢字 🚰\n';
    const record = usageRecord({ userId, content: nasty, elapsedMs: 12.6, promptTokens: 1e12, quota: 1.5 });
    billing.record({ ...record, other: { ...record.other, output_content: nasty } });
    await billing.flush();
    const [row] = await database.sql`select * from logs where user_id = ${userId}`;
    expect(row).toMatchObject({
      content: 'ab\ufffdc "\\u0000" 漢字 🚰\n',
      elapsed_ms: 13,
      use_time: 0,
      quota: 2,
      prompt_tokens: 2_147_483_647,
    });
    expect(JSON.parse(row?.other)).toMatchObject({ output_content: 'ab\ufffdc "\\u0000" 漢字 🚰\n' });
  });

  test("nonsense amounts neither hold nor charge anything negative", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    for (const amount of [-500, Number.NaN, Number.NEGATIVE_INFINITY]) {
      billing.settle(await billing.reserve({ userId, token: null, amount }), usageRecord({ userId, quota: amount }));
    }
    expect(await reasonOf(billing, { userId, token: null, amount: Number.POSITIVE_INFINITY })).toBeInstanceOf(
      InsufficientQuota,
    );
    await billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 1000, used: 0, rows: 3 });
  });

  test("a record that the database refuses holds nothing up", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 100_000);
    for (let call = 0; call < 20; call++) {
      const bad = call === 7 || call === 13;
      const record = usageRecord({ userId, quota: 100 });
      billing.record(bad ? { ...record, createdAt: "never" as unknown as number } : record);
    }
    await billing.flush();
    expect(await booksOf(database.sql, userId)).toMatchObject({ quota: 98_200, rows: 18, logged: 1800 });
    expect(billing.available(userId) ?? 98_200).toBe(98_200);
    const rejected = readFileSync(join(directory.path, "journal", "rejected.jsonl"), "utf8")
      .trim()
      .split("\n");
    const own = rejected.map((line) => JSON.parse(line)).filter(({ readable }) => readable?.userId === userId);
    expect(own).toHaveLength(2);
    for (const { reason, record, readable } of own) {
      expect(reason).toContain("bigint");
      // A time that is none is nothing that could be charged.
      expect(record).toBeNull();
      expect(readable).toMatchObject({ quota: 100, createdAt: null, other: { request_id: readable.requestId } });
    }
  });

  test("the journal's directory goes when all is written", async () => {
    const billing = await open(mode);
    const userId = await addUser(database.sql, 1000);
    const record = usageRecord({ userId });
    billing.record(record);
    expect(billing.status()).toMatchObject({ pendingRecords: 1, databaseDown: false, diskRefused: false });
    expect(billing.status().journalBytes).toBeGreaterThan(recordText(record).length);
    await billing.close();
    expect(readdirSync(join(directory.path, "journal")).filter((name) => name !== "rejected.jsonl")).toEqual([]);
    const processes = await database.sql`select id from processes`;
    expect([...processes]).toEqual([]);
  });
});

async function reasonOf(billing: Billing, request: Parameters<Billing["reserve"]>[0]): Promise<unknown> {
  try {
    await billing.reserve(request);
  } catch (error) {
    return error;
  }
  throw new Error("the hold was granted");
}
