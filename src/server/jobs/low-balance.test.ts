import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { noticesSent } from "../../../db/schema/accounts/sign-in.ts";
import { users } from "../../../db/schema/accounts/users.ts";
import { usageRollups } from "../../../db/schema/logs/logs.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { createUser } from "../../domain/accounts/identity/create-user.ts";
import type { Notice } from "../../domain/notifications/message.ts";
import { dollarText, warnLowBalances } from "./low-balance.ts";

/** One for all that is done here: an hour may turn meanwhile. */
const NOW = Math.floor(Date.now() / 1000);
const HOUR = NOW - (NOW % 3600);

let database: TestDatabase;
const reported: [number, Notice][] = [];
const deps = () => ({
  db: database.db,
  settings: fixedSettings({ QuotaRemindThreshold: "1000" }),
  notifier: {
    notify: async (userId: number, notice: Notice) => {
      reported.push([userId, notice]);
      return true;
    },
    notifyRoot: () => {},
    test: async () => {},
  },
});

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  reported.length = 0;
});

/** Somebody with a balance who spent `hoursAgo`. */
async function spender(username: string, quota: number, setting = {}, hoursAgo = 0) {
  const id = await createUser(database.db, { username, password: "long enough", quota });
  await database.db.update(users).set({ setting }).where(sql`${users.id} = ${id}`);
  const row = { tokenId: 1, tokenName: "", channelId: 1, modelName: "m", group: "default", quota: 5, count: 1 };
  await database.db.insert(usageRollups).values({ ...row, hour: HOUR - hoursAgo * 3600, userId: id, username });
  return id;
}

test("warns whoever fell below their threshold, once in two hours, whoever looks", async () => {
  const low = await spender("low", 999);
  const before = await spender("before", 999, {}, 1);
  await spender("enough", 1000);
  const own = await spender("own", 5000, { quota_warning_threshold: 6000 });
  await spender("unwanted", 1, { notify_events: ["announcement"] });
  await spender("idle", 1, {}, 3);
  const unseen = await spender("unseen", 1, {}, 3);
  await database.sql`insert into unlogged_calls
      (request_id, created_at, user_id, token_id, channel_id, quota, uncovered)
      values ('call', ${NOW}, ${unseen}, 0, 0, 5, 0)`;
  const banned = await spender("banned", 1);
  await database.db.update(users).set({ status: 2 }).where(sql`${users.id} = ${banned}`);

  await Promise.all([warnLowBalances(deps(), NOW), warnLowBalances(deps(), NOW), warnLowBalances(deps(), NOW)]);
  expect(reported.map(([id]) => id).sort((a, b) => a - b)).toEqual([low, before, own, unseen]);
  expect(reported.find(([id]) => id === low)?.[1]).toMatchObject({ type: "quota_exceed", values: ["$0.001998"] });

  expect(await warnLowBalances(deps(), NOW)).toBe(0);
  await database.db.update(noticesSent).set({ sentAt: sql`${noticesSent.sentAt} - 6000` });
  expect(await warnLowBalances(deps(), NOW)).toBe(0);
  await database.db.update(noticesSent).set({ sentAt: sql`${noticesSent.sentAt} - 1200` });
  expect(await warnLowBalances(deps(), NOW)).toBe(4);
});

test("users who did not subscribe take nobody's place in a round", async () => {
  const deaf = Array.from({ length: 501 }, (_, index) => ({
    username: `deaf-${index}`,
    affCode: `deaf-${index}`,
    quota: 1,
    setting: { notify_events: [] },
    createdAt: NOW,
  }));
  const ids = await database.db.insert(users).values(deaf).returning({ id: users.id });
  const row = { tokenId: 1, tokenName: "", channelId: 1, modelName: "m", group: "default", quota: 5, count: 1 };
  await database.db
    .insert(usageRollups)
    .values(ids.map(({ id }) => ({ ...row, hour: HOUR, userId: id, username: `deaf ${id}` })));
  const last = await spender("last", 1);
  const chosen = await spender("chosen", 1, { notify_events: ["contact", "low_balance"] });
  const odd = await spender("odd", 1, { notify_events: "all" });
  await warnLowBalances(deps(), NOW);
  expect(reported.map(([id]) => id)).toEqual([last, chosen, odd]);
});

test.each([
  [0, "$0.000000"],
  [1, "$0.000002"],
  [500_000, "$1.000000"],
  [617_283, "$1.234566"],
])("%p units are %p", (quota, text) => expect(dollarText(quota, 500_000)).toBe(text));
