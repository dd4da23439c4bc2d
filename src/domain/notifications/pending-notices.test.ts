import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { pendingNotices } from "../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { addUser } from "../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { until } from "../../../test/support/lib/until.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { createMailer } from "./mail.ts";
import type { Notice } from "./message.ts";
import { createNotifier } from "./notifier.ts";

let database: TestDatabase;
let userId = 0;
let status = 200;
const received: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push(((await request.json()) as { title: string }).title);
    return new Response("{}", { status });
  },
});
const url = `${server.url.origin}/hook`;
const NOTICE: Notice = { type: "t", title: { en: "Low", zh: "不足" }, content: { en: "c", zh: "c" }, values: [] };
const HOUR = 3600;

beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 0);
});
afterAll(async () => {
  await server.stop(true);
  await database.close();
});
beforeEach(async () => {
  received.length = 0;
  status = 200;
  await database.db.delete(pendingNotices);
  await database.db
    .update(users)
    .set({ setting: { notify_type: "webhook", webhook_url: url } })
    .where(eq(users.id, userId));
});

/** As after a start of the process: nothing is remembered but what is in the database. */
function start(retryAfterMs: readonly number[] = []) {
  const policy = createAddressPolicy(true);
  const log = createLogger({ logLevel: "silent", logFormat: "json" });
  const settings = fixedSettings();
  return createNotifier(
    {
      db: database.db,
      log,
      settings,
      vault: createVault({ encryptionKey: "key of the notices' tests" }),
      mailer: createMailer({ settings, policy, log }),
      fetch: createSafeFetch(policy),
      addresses: { wecom: url, dingtalk: url, wxpusher: url, bark: url },
      rootLimit: { count: 9, windowMs: 1000 },
      localAddress: "http://gateway.test",
    },
    retryAfterMs,
  );
}
const waiting = async () => (await database.db.select().from(pendingNotices)).length;

test("a notice that arrives leaves nothing behind, at once or at the second try", async () => {
  expect(await start().notify(userId, NOTICE)).toBe(true);
  expect(await waiting()).toBe(0);
  status = 503;
  const reported = start([40]).notify(userId, NOTICE);
  await until(() => received.length >= 2);
  status = 200;
  expect(await reported).toBe(true);
  expect(await waiting()).toBe(0);
});

test("what could not be handed over is tried again after a restart, once, when its time has come", async () => {
  status = 503;
  expect(await start().notify(userId, NOTICE)).toBe(false);
  expect(await waiting()).toBe(1);
  status = 200;
  received.length = 0;
  await start().retryLater(nowSeconds());
  expect(received).toEqual([]);
  const [one, other] = [start(), start()];
  await Promise.all([one.retryLater(nowSeconds() + 61), other.retryLater(nowSeconds() + 61)]);
  expect(received).toEqual(["Low"]);
  expect(await waiting()).toBe(0);
});

test("it is given up after four later tries, which lie further and further apart", async () => {
  status = 503;
  await start().notify(userId, NOTICE);
  received.length = 0;
  const tries: number[] = [];
  for (let minute = 1; minute < 12 * 60 && (await waiting()) > 0; minute += 1) {
    const before = received.length;
    await start().retryLater(nowSeconds() + minute * 60 + 2);
    if (received.length > before) tries.push(minute);
  }
  expect(tries).toEqual([1, 6, 36, 156]);
  expect(await waiting()).toBe(0);
}, 240_000);

test("what can never arrive is not stored", async () => {
  await database.db
    .update(users)
    .set({ setting: { notify_type: "webhook", webhook_url: "ftp://nowhere" } })
    .where(eq(users.id, userId));
  await start().notify(userId, NOTICE);
  await start().retryLater(nowSeconds() + HOUR);
  expect(await waiting()).toBe(0);
});
