import { afterAll, beforeAll, expect, test } from "bun:test";
import { dropLogsBefore } from "../../../../db/maintenance/partitions.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import type { LogFilter } from "../log-filter.ts";
import { foldUsage } from "../usage/totals/fold-usage.ts";
import { HOUR_S } from "../usage/totals/totals.ts";
import { readLogs, skipHours } from "./list-logs.ts";

const FIRST = Date.UTC(2025, 4, 30, 3) / 1000;
const HOURS = 80;
const END = FIRST + HOURS * HOUR_S;
const PAGE_SIZE = 100;

let database: TestDatabase;
let state = 5;
const below = (limit: number) => {
  state = (state * 48271) % 2147483647;
  return state % limit;
};
const callAt = (createdAt: number) => callRecord({ createdAt, modelName: below(9) ? "m" : "", failed: below(5) === 0 });

beforeAll(async () => {
  database = await openTestDatabase();
  await writeCalls(
    database,
    Array.from({ length: 3000 }, () => callAt(FIRST + below(HOURS * HOUR_S))),
  );
  // Events, and tasks that were not taken: calls of which roll-ups know nothing. Some are in hours without calls.
  await database.sql`
    insert into logs (created_at, type, failed, content)
    select ${FIRST}::bigint - 7200 + n * 631 % ${(HOURS + 6) * HOUR_S}::bigint, 1 + n % 5, n % 5 = 1, 'event' from generate_series(1, 400) n`;
  await fold();
});
afterAll(() => database.close());

const fold = async () => {
  while (await foldUsage(database, END));
};

/** Every page of the list far enough back, against the rows in their order. */
async function expectPages(filter: LogFilter, asOf?: Readonly<{ createdAt: number; id: number }>): Promise<void> {
  const { start = 0, end = 2_000_000_000 } = filter;
  const rows = await database.sql<{ id: number }[]>`
    select id from logs where created_at >= ${start} and created_at <= ${end}
      and (created_at, id) <= (${asOf?.createdAt ?? 2_000_000_000}::bigint, ${asOf?.id ?? 0}::bigint)
    order by created_at desc, id desc`;
  expect(rows.length).toBeGreaterThan(1500);
  for (let page = 10; page * PAGE_SIZE <= rows.length + PAGE_SIZE; page += 1) {
    const place = { page, pageSize: PAGE_SIZE, ...(asOf && { asOf }) };
    const found = await readLogs(database.db, filter, place, "owner");
    const expected = rows.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
    expect(found.map(({ id }) => Number(id))).toEqual(expected.map(({ id }) => Number(id)));
  }
}

const skipped = (filter: LogFilter, rows: number) =>
  skipHours(database.db, filter, { where: undefined, newest: END + HOUR_S, skipped: rows });

test("far pages have the rows of their place, whose hours are passed over by their totals", async () => {
  const hours = await skipped({}, 2000);
  expect(hours?.rows).toBeGreaterThan(1900);
  expect(hours?.rows).toBeLessThanOrEqual(2000);
  const [counted] = await database.sql`select count(*)::int as rows from logs where created_at >= ${hours?.from ?? 0}`;
  expect(counted?.rows).toBe(hours?.rows);
  await expectPages({});
  await expectPages({ start: FIRST + 9 * HOUR_S + 5 });
  await expectPages({ end: END - 13 * HOUR_S - 77 });
  const [newest] = await database.sql`
    select id, created_at from logs where created_at < ${END - 5 * HOUR_S} order by created_at desc, id desc limit 1`;
  await expectPages({}, { createdAt: Number(newest?.created_at), id: Number(newest?.id) });
});

test("rows of hours that are not in the totals are counted one by one", async () => {
  await writeCalls(database, [callAt(END - 30 * HOUR_S), callAt(END)]);
  const [until] = await database.sql`select until from usage_fold`;
  expect(Number(until?.until)).toBeLessThanOrEqual(END - 30 * HOUR_S);
  await expectPages({});
  await fold();
  await expectPages({});
});

test("totals say nothing of other filters, nor of hours whose rows may have been deleted", async () => {
  expect(await skipped({ type: 2 }, 2000)).toBeNull();
  expect(await skipped({ userId: 0 }, 2000)).toBeNull();
  expect(await skipped({ start: END - HOUR_S + 1 }, 2000)).toBeNull();
  await dropLogsBefore(database, FIRST + 40 * HOUR_S + 100);
  const hours = await skipped({}, 1_000_000);
  expect(hours?.from).toBe(FIRST + 41 * HOUR_S);
  await expectPages({});
});
