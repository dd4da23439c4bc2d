import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/lib/until.ts";
import { openServer } from "../server/open-server.ts";
import { createPace } from "./pace.ts";
import { createLogMonths, dropLogsBefore, dropLogsInSteps, ensurePartitions, listLogMonths } from "./partitions.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate logs`;
});

const at = (date: string) => Math.floor(Date.parse(date) / 1000);

async function write(date: string, rows: number): Promise<void> {
  await database.sql`insert into logs (created_at, type, request_id)
    select ${at(date)}::bigint + n, 2, ${date}::text || n from generate_series(1, ${rows}::int) n`;
}

async function rowsByPartition(): Promise<Record<string, number>> {
  const rows = await database.sql<{ name: string; rows: number }[]>`
    select tableoid::regclass::text as name, count(*)::int as rows from logs group by 1`;
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
}

test("this month and the next two have a partition; doing it again, also at once, changes nothing", async () => {
  const now = new Date("2031-12-15T00:00:00Z");
  await Promise.all([ensurePartitions(database, now), ensurePartitions(database, now)]);
  await ensurePartitions(database, now);
  const names = (await listLogMonths(database.sql)).map(({ name }) => name);
  for (const name of ["logs_2031_12", "logs_2032_01", "logs_2032_02"]) expect(names).toContain(name);
  const january = (await listLogMonths(database.sql)).find(({ name }) => name === "logs_2032_01");
  expect(january).toEqual({ name: "logs_2032_01", from: at("2032-01-01"), until: at("2032-02-01") });
});

test("rows that came before their month had a partition move into it", async () => {
  await write("2040-05-10", 3);
  await write("2041-01-01", 2);
  expect(await rowsByPartition()).toEqual({ logs_rest: 5 });
  const month = { name: "logs_2040_05", from: at("2040-05-01"), until: at("2040-06-01") };
  await database.sql.begin((tx) => createLogMonths(tx, [month]));
  expect(await rowsByPartition()).toEqual({ logs_2040_05: 3, logs_rest: 2 });
});

test("clearing drops the months that are over, deletes the rest of the rows before, and counts both", async () => {
  await ensurePartitions(database, new Date("2025-01-10"));
  await write("2025-01-20", 2500);
  await write("2025-02-20", 10);
  await write("2025-03-03", 5000);
  await write("2025-03-20", 7);
  await write("2019-01-01", 4);
  expect(await dropLogsBefore(database, at("2025-03-15"))).toBe(2500 + 10 + 5000 + 4);
  expect(await rowsByPartition()).toEqual({ logs_2025_03: 7 });
  const names = (await listLogMonths(database.sql)).map(({ name }) => name);
  expect(names).not.toContain("logs_2025_02");
  expect(await dropLogsBefore(database, at("2025-03-15"))).toBe(0);
});

test("clearing up to a moment in the future keeps the partitions that rows go into now", async () => {
  const before = await listLogMonths(database.sql);
  const now = new Date();
  await write(now.toISOString(), 3);
  expect(await dropLogsBefore(database, Math.floor(now.getTime() / 1000) + 400 * 24 * 3600)).toBe(3);
  const names = (await listLogMonths(database.sql)).map(({ name }) => name);
  const thisMonth = `logs_${now.getUTCFullYear()}_${String(now.getUTCMonth() + 1).padStart(2, "0")}`;
  expect(before.map(({ name }) => name)).toContain(thisMonth);
  expect(names).toContain(thisMonth);
});

test("rows of this month are deleted in slices of at most 2,000", async () => {
  const now = new Date();
  await ensurePartitions(database, now);
  await write(now.toISOString(), 6000);
  const slices = await Array.fromAsync(dropLogsInSteps(database, Math.floor(now.getTime() / 1000) + 7200));
  expect(Math.max(...slices)).toBeLessThanOrEqual(2000);
  expect(slices.reduce((sum, slice) => sum + slice, 0)).toBe(6000);
});

test("slices become so large that one takes 50 ms, and each is followed by a rest as long", async () => {
  const pace = createPace();
  const work = async (msARow: number) => {
    const startedAt = performance.now();
    let workedMs = 0;
    await pace.run(async (rows) => {
      await Bun.sleep(rows * msARow);
      workedMs = performance.now() - startedAt;
    });
    return { workedMs, tookMs: performance.now() - startedAt };
  };
  for (let slice = 0; slice < 3; slice += 1) {
    const { workedMs, tookMs } = await work(1);
    expect(tookMs).toBeGreaterThanOrEqual(2 * workedMs - 2);
    expect(pace.rows).toBeLessThanOrEqual(50);
  }
  for (let slice = 0; slice < 20; slice += 1) await work(0.001);
  expect(pace.rows).toBe(2000);
  await expect(pace.run(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
});

const onServer = test.skipIf(!process.env.TEST_DATABASE_URL);

onServer("a month that a long query reads is dropped when that ends, and nobody waits behind", async () => {
  await ensurePartitions(database, new Date("2025-01-10"));
  await write("2025-01-20", 3);
  const others = await openServer(database.url ?? "", 3);
  const end = Promise.withResolvers<void>();
  const reading = others.sql.begin(async (tx) => {
    await tx`select count(*) from logs`;
    await end.promise;
  });
  try {
    const dropped = dropLogsBefore(database, at("2025-02-01"));
    await until(async () => {
      const [waiting] = await others.sql`select from pg_locks where not granted and mode = 'AccessExclusiveLock'`;
      return waiting !== undefined;
    });
    const startedAt = performance.now();
    await others.sql`insert into logs (created_at, type, request_id) values (${at("2025-03-01")}, 2, 'meanwhile')`;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    end.resolve();
    expect(await dropped).toBe(3);
  } finally {
    end.resolve();
    await reading;
    await others.close();
  }
});
