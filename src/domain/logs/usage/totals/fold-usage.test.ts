import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { until as eventually } from "../../../../../test/support/lib/until.ts";
import { callRecord, writeCalls } from "../../../../../test/support/logs.ts";
import { readHistogram } from "../read-histogram.ts";
import { readSeries, type SeriesDimension, type SeriesStep } from "../series/read-series.ts";
import { sumUsage } from "../usage-sums.ts";
import { foldUsage } from "./fold-usage.ts";

setDefaultTimeout(240_000);

const HOUR = 3600;
const DAY = 24 * HOUR;
const FIRST = Date.UTC(2025, 0, 20, 5) / 1000;
const LAST = Date.UTC(2025, 5, 3, 7) / 1000;
/** Nobody calls in March. */
const QUIET = [Date.UTC(2025, 2, 1) / 1000, Date.UTC(2025, 3, 1) / 1000] as const;
const DIMENSIONS: readonly SeriesDimension[] = ["model", "group", "user", "channel", "token"];

let database: TestDatabase;
let state = 7;
const below = (limit: number) => {
  state = (state * 48271) % 2147483647;
  return state % limit;
};

const callAt = (createdAt: number) => {
  const userId = 1 + below(30);
  const tokenId = below(3) === 0 ? 0 : 100 + userId;
  return callRecord({
    createdAt,
    userId,
    username: `u${userId}`,
    tokenId,
    tokenName: tokenId === 0 ? "playground-default" : `t${userId}`,
    modelName: `m${below(20)}`,
    channelId: below(25),
    group: below(3) === 0 ? "vip" : "default",
    failed: below(9) === 0,
    promptTokens: below(500),
    completionTokens: below(500),
    quota: below(9000),
  });
};

beforeAll(async () => {
  database = await openTestDatabase();
  await database.sql`
    insert into users (id, username, aff_code, quota, created_at)
    select i, 'u' || i, 'a' || i, 1000000000, 0 from generate_series(1, 30) i`;
  await database.sql`
    insert into tokens (id, user_id, name, key_hash, key_cipher, created_time)
    select 100 + i, i, 't' || i, 'h' || i, '', 0 from generate_series(1, 30) i`;
  const times = Array.from({ length: 1500 }, () => FIRST + below(LAST - FIRST));
  await writeCalls(database, times.filter((time) => time < QUIET[0] || time >= QUIET[1]).map(callAt));
});
afterAll(() => database.close());

const RANGES = [
  [FIRST, LAST],
  [FIRST - 40 * DAY, LAST + 40 * DAY],
  [Date.UTC(2025, 1, 1) / 1000, Date.UTC(2025, 4, 1) / 1000 - 1],
  [FIRST + 3 * DAY + 17, FIRST + 60 * DAY + 99],
] as const;

/** All that is read of hours, whichever tables answer. */
async function readEverything() {
  const { db } = database;
  const read: unknown[] = [];
  for (const [start, end] of RANGES) {
    for (const filter of [
      {},
      { modelName: "m3" },
      { modelName: "m1%" },
      { modelNames: ["m1", "m2"] },
      { group: "vip" },
      { userId: 3 },
      { userId: 3, modelName: "m3" },
      { userId: 4, modelNames: ["m1", "m2", "m5"] },
      { tokenId: 104 },
      { tokenId: 104, userId: 4 },
      { tokenId: 104, userId: 5 },
      { tokenId: 0, userId: 5 },
      { channelId: 7 },
      { channelId: 7, userId: 5 },
    ]) {
      read.push(await sumUsage(db, { ...filter, start, end }), await readHistogram(db, { ...filter, start, end }));
    }
    for (const by of DIMENSIONS) {
      const step: SeriesStep = by === "user" ? "week" : "day";
      read.push(await readSeries(db, { start, end }, { by, step, offsetMinutes: 480 }));
      read.push(await readSeries(db, { start, end, userId: 9 }, { by, step: "day", offsetMinutes: -300 }));
    }
    for (const offsetMinutes of [330, 720, -840]) {
      for (const by of ["user", "token"] as const) {
        read.push(await readSeries(db, { start, end }, { by, step: "day", offsetMinutes, most: 3 }));
      }
      read.push(await readSeries(db, { start, end, channelId: 3 }, { by: "model", step: "week", offsetMinutes }));
    }
    // Their clocks changed on 6 and on 25 April, when people called.
    for (const timeZone of ["America/Santiago", "Africa/Cairo"]) {
      const clock = { offsetMinutes: 0, timeZone };
      read.push(await readSeries(db, { start, end }, { by: "token", step: "day", ...clock, most: 3 }));
      read.push(await readSeries(db, { start, end, userId: 5 }, { by: "model", step: "week", ...clock }));
    }
    read.push(await readSeries(db, { start, end, userId: 4 }, { by: "model", step: "week", offsetMinutes: 0 }));
    read.push(await readSeries(db, { start, end, modelName: "m3" }, { by: "model", step: "day", offsetMinutes: 0 }));
  }
  return read;
}

const foldUntil = async (end: number) => {
  let steps = 0;
  while (await foldUsage(database, end)) steps += 1;
  return steps;
};
const until = async () => (await database.sql`select until from usage_fold`)[0]?.until;

/** The sums of days are those of the log's rows. */
async function expectDaysOfLog() {
  const columns = "count, failed, quota, prompt_tokens, completion_tokens, elapsed_ms";
  const sums = `count(*), count(*) filter (where failed), sum(quota), sum(prompt_tokens), sum(completion_tokens), sum(elapsed_ms)`;
  for (const [dimension, id, userId] of [
    ["user", "user_id", "0"],
    ["channel", "channel_id", "0"],
    ["token", "token_id", "user_id"],
  ] as const) {
    const rows = await database.sql.unsafe(
      `with days as (select id, day, model_name, user_id, ${columns} from usage_days where dimension = '${dimension}'),
         added as (select ${id}, created_at - created_at % 86400, model_name, ${userId}, ${sums}
           from logs where type = 2 group by 1, 2, 3, 4)
       (select * from days except select * from added) union all (select * from added except select * from days)`,
    );
    expect([...rows]).toEqual([]);
    const [found] = await database.sql`select count(*)::int as days from usage_days where dimension = ${dimension}`;
    expect(found?.days).toBeGreaterThan(100);
  }
}

test("what charts and sums show is the same however far the totals go", async () => {
  const expected = await readEverything();
  for (const end of [FIRST - (FIRST % HOUR) + 3 * HOUR, Date.UTC(2025, 2, 9, 4) / 1000, Date.UTC(2025, 4, 1) / 1000]) {
    expect(await foldUntil(end)).toBeGreaterThan(0);
    expect(await until()).toBe(end);
    expect(await readEverything()).toEqual(expected);
  }
  const end = LAST - (LAST % HOUR) + DAY;
  await foldUntil(end);
  expect(await readEverything()).toEqual(expected);
  expect(await foldUntil(end)).toBe(0);
  const retained = await database.sql`select dimension, sum(quota)::bigint as quota from usage_totals
    where dimension in ('all', 'model', 'group') group by 1`;
  const { quota } = await sumUsage(database.db, {});
  expect(retained.map((row) => row.quota)).toEqual([quota, quota, quota]);
  await expectDaysOfLog();
});

test("a call that is written late takes the totals back to its hour, and is in them afterwards", async () => {
  const before = await sumUsage(database.db, {});
  const late = Date.UTC(2025, 1, 11, 9, 30) / 1000;
  await writeCalls(database, [callAt(LAST), { ...callAt(late), quota: 123 }]);
  expect(await until()).toBe(late - 1800);
  expect((await database.sql`select days_until from usage_fold`)[0]?.days_until).toBe(Date.UTC(2025, 1, 11) / 1000);
  const expected = await readEverything();
  await foldUntil(LAST - (LAST % HOUR) + DAY);
  expect(await readEverything()).toEqual(expected);
  await expectDaysOfLog();
  expect((await sumUsage(database.db, {})).count).toBe(before.count + 2);
  const [month] = await database.sql`select sum(quota)::bigint as quota, sum(count)::bigint as count from usage_totals
    where dimension = 'user' and start = ${Date.UTC(2025, 1, 1) / 1000}`;
  const sums = await sumUsage(database.db, { start: Date.UTC(2025, 1, 1) / 1000, end: QUIET[0] - 1 });
  expect(month).toEqual({ quota: sums.quota, count: sums.count });
});

test("calls of this hour count at once after totals went on by a clock that was ahead", async () => {
  const now = Math.floor(Date.now() / 1000);
  const ahead = now + 40 * DAY;
  await writeCalls(database, [callAt(now), callAt(ahead)]);
  const end = ahead - (ahead % HOUR) + HOUR;
  await foldUntil(end);
  expect(await until()).toBe(end);
  const { count } = await sumUsage(database.db, {});
  await writeCalls(database, [callAt(now), callAt(now)]);
  expect((await sumUsage(database.db, {})).count).toBe(count + 2);
  const expected = await readEverything();
  await foldUntil(now - (now % HOUR));
  expect(await readEverything()).toEqual(expected);
  await database.sql`delete from logs where created_at >= ${now}`;
  await database.sql`delete from usage_rollups where hour >= ${now - (now % HOUR)}`;
  for (const table of ["usage_totals", "usage_days", "usage_fold"]) await database.sql.unsafe(`delete from ${table}`);
  await foldUntil(LAST - (LAST % HOUR) + DAY);
});

// The embedded engine has one connection: nothing runs next to a transaction.
test.if(process.env.TEST_DATABASE_URL !== undefined)(
  "charges are written while a day is added, and a late one for that day is in its totals",
  async () => {
    const end = LAST - (LAST % HOUR) + DAY;
    const day = Number((await database.sql`select max(day)::bigint as day from usage_days`)[0]?.day);
    await database.sql`update usage_fold set days_until = ${day}`;
    const { count } = await sumUsage(database.db, {});
    const isWaiting = async () =>
      (await database.sql`select from pg_locks where not granted and relation = 'usage_days'::regclass`).length > 0;
    let adding: Promise<boolean> | undefined;
    await database.sql.begin(async (tx) => {
      await tx`lock table usage_days in share mode`;
      adding = foldUsage(database, end);
      await eventually(isWaiting);
      await writeCalls(database, [{ ...callAt(day + HOUR), quota: 77 }]);
    });
    expect(await adding).toBe(true);
    expect(await until()).toBe(day + HOUR);
    expect((await database.sql`select days_until from usage_fold`)[0]?.days_until).toBe(day);
    await foldUntil(end);
    await expectDaysOfLog();
    expect((await sumUsage(database.db, {})).count).toBe(count + 1);
  },
);
