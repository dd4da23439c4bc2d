import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { foldUsage } from "../totals/fold-usage.ts";
import { DAY_S } from "../totals/totals.ts";
import { readSeries } from "./read-series.ts";

setDefaultTimeout(120_000);

const FIRST = Date.UTC(2025, 6, 20) / 1000;
const DAYS = 5;
const END = FIRST + DAYS * DAY_S;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const series = (most: number) =>
  readSeries(database.db, { start: FIRST, end: END - 1 }, { by: "channel", step: "day", offsetMinutes: 480, most });

/** What the series are with the roll-ups alone, and with the totals of all days. */
async function readBothWays(most: number) {
  await database.sql`delete from usage_fold`;
  await database.sql`truncate usage_totals, usage_days`;
  const expected = await series(most);
  while (await foldUsage(database, END));
  return { expected, found: await series(most) };
}

/** Channels' hours: `quota` is a day's by channel `c` and day `d`. */
async function spend(quota: string) {
  await database.sql`truncate usage_rollups`;
  await database.sql.unsafe(`
    insert into usage_rollups (hour, user_id, username, token_id, token_name, channel_id, model_name, "group", count, quota)
    select ${FIRST} + d * 86400 + c % 24 * 3600, 1, 'u', 1, 't', c, 'm', 'g', 1, ${quota}
    from generate_series(0, ${DAYS - 1}) d, generate_series(1, 2500) c`);
}

test("the largest of several days are found among more than a day's totals keep", async () => {
  await spend("10000000 / c");
  const { expected, found } = await readBothWays(4);
  expect(found).toEqual(expected);
  expect(found.map(({ key }) => key)).toEqual(["1", "2", "3", "4", null]);
});

test("who spends steadily below the largest of each day is among the largest of all", async () => {
  // Five hundred others spend more on one day each, so that channel 2500 is in no day's totals.
  await spend(
    "case when c = 2500 then 900 when c % 5 = d and c <= 2499 then 1000 when c <= 2499 and (c + 1) % 5 = d then 999 else 1 end",
  );
  const { expected, found } = await readBothWays(1);
  expect(found).toEqual(expected);
  expect(found[0]?.key).toBe("2500");
  const own = await database.sql`select 1 from usage_totals where dimension = 'channel_day' and key = '2500'`;
  expect(own.length).toBeLessThan(DAYS);
});

test("equal sums are ordered alike", async () => {
  await spend("7");
  const { expected, found } = await readBothWays(3);
  expect(found).toEqual(expected);
});
