import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { exportLogs } from "./export-logs.ts";

const ROWS = 25_000;
const TEXT = 3400;
const MIB = 1024 * 1024;
/** The engine of the tests shares this process; a whole file would be more than 80 MiB, as text twice that. */
const MOST_MIB = 64;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.execute(sql`
    insert into ${logs} (created_at, type, user_id, model_name, content)
    select ${nowSeconds()} - n / 10, 2, 1, 'gpt-4o', n || repeat('x', ${TEXT}) from generate_series(1, ${ROWS}) n`);
}, 240_000);
afterAll(() => database.close());

test("25,000 rows go out slice by slice, never all in memory", async () => {
  const reader = exportLogs(database.db, { userId: 1 }, "owner", 500_000).getReader();
  const rss = () => {
    Bun.gc(true);
    return process.memoryUsage().rss;
  };
  let bytes = 0;
  let lines = 0;
  let before = 0;
  let peak = 0;
  for (let at = 0; ; at += 1) {
    const { value, done } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    for (let end = value.indexOf(10); end >= 0; end = value.indexOf(10, end + 1)) lines += 1;
    // What the engine needs to read a slice at all is not the point.
    if (at === 20) before = rss();
    else if (at > 20 && at % 20 === 0) peak = Math.max(peak, rss());
  }
  expect(lines).toBe(ROWS + 1);
  expect(bytes).toBeGreaterThan(ROWS * TEXT);
  expect((peak - before) / MIB).toBeLessThan(MOST_MIB);
}, 240_000);

test("nothing is read ahead of whoever takes it", async () => {
  let reads = 0;
  const counting = new Proxy(database.db, {
    get(target, name, receiver) {
      if (name === "select") reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const reader = exportLogs(counting, { userId: 1 }, "owner", 500_000).getReader();
  await reader.read();
  await reader.read();
  await Bun.sleep(50);
  expect(reads).toBeLessThanOrEqual(2);
  await reader.cancel();
});
