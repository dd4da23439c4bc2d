import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Sql } from "../../db/types.ts";
import { createBilling } from "../../src/billing/billing.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../src/billing/ledger/errors.ts";
import { addUser, silentLog, temporaryDirectory } from "../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

/** The database accepts statements and never answers, as behind a network that loses packets. Calls must not wait for it. */

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let isSilent = false;

beforeAll(async () => {
  database = await openTestDatabase();
  directory = await temporaryDirectory();
});
afterAll(async () => {
  await database.close();
  await directory.remove();
});

test("a call waits longer than that while the database answers slowly: it has not gone away", async () => {
  const [first, second] = [await addUser(database.sql, 1000), await addUser(database.sql, 1000)];
  let isSlow = false;
  const slow = new Proxy(database.sql, {
    apply(target, self, args: [unknown, ...unknown[]]) {
      const statement = Reflect.apply(target, self, args);
      const { then } = statement;
      if (!isSlow || typeof then !== "function") return statement;
      // It is sent when it is awaited; a part of another statement never is.
      const send = async () => {
        await Bun.sleep(3000);
        return await new Promise((resolve, reject) => then.call(statement, resolve, reject));
      };
      return new Proxy(statement, {
        get: (query, key) =>
          key === "then"
            ? (...handlers: Parameters<Promise<unknown>["then"]>) => send().then(...handlers)
            : Reflect.get(query, key, query),
      });
    },
  });
  const warnings: string[] = [];
  const billing = await createBilling({
    database: { sql: slow, kind: database.kind },
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: { ...silentLog, warn: (_: unknown, text?: string) => void warnings.push(String(text)) } as typeof silentLog,
    sole: false,
  });
  isSlow = true;
  const ahead = billing.reserve({ userId: first, token: null, amount: 900 });
  await Bun.sleep(10);
  // Its statement begins when that of the other call has ended.
  const behind = billing.reserve({ userId: second, token: null, amount: 900 });
  expect(await ahead).toMatchObject({ amount: 900 });
  expect(await behind).toMatchObject({ amount: 900 });
  expect(warnings).toEqual([]);
  isSlow = false;
  await billing.close();
}, 60_000);

/** The driver; while the database is silent its statements are never sent and never answered. */
const silenceable = (sql: Sql): Sql =>
  new Proxy(sql, {
    apply(target, self, args: [unknown, ...unknown[]]) {
      const statement = Reflect.apply(target, self, args);
      if (!isSilent || !Array.isArray(args[0]) || !("raw" in args[0])) return statement;
      return new Promise(() => {});
    },
  });

test("a call that the database leaves without an answer is answered from memory, also while upkeep waits for its own read", async () => {
  const userId = await addUser(database.sql, 1000);
  const billing = await createBilling({
    database: { sql: silenceable(database.sql), kind: database.kind },
    changes: database.changes,
    dataDir: directory.path,
    processId: Bun.randomUUIDv7(),
    log: silentLog,
    sole: false,
  });
  billing.refund(await billing.reserve({ userId, token: null, amount: 10 }));
  isSilent = true;
  // The only process may spend the whole balance without the database.
  expect(await billing.reserve({ userId, token: null, amount: 900 })).toMatchObject({ amount: 900 });
  // The sweep that answered the first call now waits for its own read, which never ends.
  const second = billing.reserve({ userId, token: null, amount: 900 });
  await expect(second).rejects.toBeInstanceOf(InsufficientQuota);
  const unknown = billing.reserve({ userId: userId + 1, token: null, amount: 1 });
  await expect(unknown).rejects.toBeInstanceOf(LedgerUnavailable);
  isSilent = false;
}, 60_000);
