import { afterAll, beforeAll, expect, test } from "bun:test";
import { dropLogsBefore } from "../../../../../db/maintenance/partitions.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../../test/support/logs.ts";
import { checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { refundCharge } from "../../../tasks/refund-charge.ts";
import { foldUsage } from "./fold-usage.ts";
import { DAY_S, HOUR_S } from "./totals.ts";

const FIRST = Date.UTC(2025, 4, 28) / 1000;
const DAYS = 8;
const END = FIRST + DAYS * DAY_S;
const ROUNDS = 12;

let database: TestDatabase;
let state = 11;
const below = (limit: number) => {
  state = (state * 48271) % 2147483647;
  return state % limit;
};

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`
    insert into users (id, username, aff_code, quota, created_at)
    select i, 'u' || i, 'a' || i, 1000000000, 0 from generate_series(1, 8) i`;
});
afterAll(() => database.close());

const calls = () =>
  Array.from({ length: 40 }, () => {
    const userId = 1 + below(8);
    return callRecord({
      createdAt: FIRST + below(DAYS * DAY_S),
      userId,
      username: `u${userId}`,
      tokenId: below(4),
      tokenName: "k",
      modelName: `m${below(4)}`,
      channelId: 1 + below(5),
      group: below(2) ? "vip" : "default",
      failed: below(7) === 0,
      quota: below(900),
    });
  });

/** Every sum that a row of the log is part of, read from the log, and from the totals. */
const fromLog = (dimension: string, id: string) =>
  `select '${dimension}' as dimension, ${id}::text as id, created_at - created_at % 86400 as day, model_name,
     count(*)::bigint as count, sum(quota)::bigint as quota, sum(elapsed_ms)::bigint as elapsed_ms
   from logs where type = 2 group by 1, 2, 3, 4`;
const fromDays = `select dimension, id::text, day, model_name, sum(count)::bigint, sum(quota)::bigint, sum(elapsed_ms)::bigint
   from usage_days group by 1, 2, 3, 4`;

test("totals are those of the log after writers, refunds and the job ran at the same time, and after the log was cleared", async () => {
  const written: ReturnType<typeof callRecord>[] = [];
  let isWriting = true;
  const write = async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const batch = calls();
      await writeCalls(database, batch);
      written.push(...batch);
    }
  };
  const refund = async () => {
    while (isWriting) {
      const call = written.at(below(Math.max(1, written.length)));
      if (call) {
        const charge = { ...call, chargeId: call.requestId, task: { kind: "media", name: "t" } as const };
        await database.db.transaction((tx) => refundCharge(tx, charge, false));
      }
      await Bun.sleep(1);
    }
  };
  const fold = async () => {
    while (isWriting) {
      await foldUsage(database, FIRST + below(DAYS * 24) * HOUR_S);
      await Bun.sleep(1);
    }
  };
  const others = [refund(), fold(), fold()];
  await Promise.all([write(), write()]);
  isWriting = false;
  await Promise.all(others);
  while (await foldUsage(database, END));
  expect(written.length).toBe(2 * ROUNDS * 40);
  const log = [fromLog("user", "user_id"), fromLog("channel", "channel_id"), fromLog("token", "token_id")].join(
    " union all ",
  );
  const differing = () =>
    database.sql.unsafe(`with log as (${log}), days as (${fromDays})
      (select * from log except select * from days) union all (select * from days except select * from log)`);
  expect([...(await differing())]).toEqual([]);
  const [before] = await database.sql`select count(*)::int as rows, sum(quota)::bigint as quota from usage_days`;
  expect(before?.rows).toBeGreaterThan(500);
  expect(await checkBooks(database.db, "days", 0, END)).toMatchObject({ checked: 31 * 9, wrong: [], next: null });

  await dropLogsBefore(database, END);
  await database.sql`update usage_fold set until = 0`;
  while (await foldUsage(database, END));
  expect((await database.sql`select count(*)::int as rows, sum(quota)::bigint as quota from usage_days`)[0]).toEqual(
    before,
  );
  expect((await checkBooks(database.db, "days", 0, END)).wrong).toEqual([]);
}, 120_000);

test("the book of days names a unit too many, with its day and kind", async () => {
  await database.sql`update usage_days set quota = quota + 1
    where (dimension, id, day, model_name, user_id) = (select dimension, id, day, model_name, user_id from usage_days
      where dimension = 'channel' and day = ${FIRST + DAY_S} limit 1)`;
  const { wrong } = await checkBooks(database.db, "days", 0, END);
  expect(wrong).toMatchObject([{ id: FIRST + DAY_S + 1, name: "2025-05-29 UTC: channel" }]);
  expect((wrong[0]?.stored ?? 0) - (wrong[0]?.added ?? 0)).toBe(1);
});
