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
