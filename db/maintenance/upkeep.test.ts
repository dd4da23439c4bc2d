import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../test/support/lib/until.ts";
import { openDatabase } from "../connect.ts";
import type { Database } from "../types.ts";
import { checkpointer, vacuumWorst } from "./upkeep.ts";

setDefaultTimeout(240_000);

let dataDir = "";
let database: Database;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sluice-upkeep-"));
  database = await openDatabase({ databaseUrl: null, dataDir });
  await database.sql`insert into users (username, aff_code, created_at)
    select 'user' || n, 'code' || n, 1 from generate_series(1, 3000) n`;
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

const walSegments = () => readdirSync(join(dataDir, "postgres/pg_wal")).filter((name) => name.length === 24).length;

test("a checkpoint is written when there was something to write, and not else", async () => {
  const checkpoint = checkpointer(database.sql);
  expect(await checkpoint()).toBe(true);
  expect(await checkpoint()).toBe(false);
  await database.sql`update users set quota = quota + 1 where id = 1`;
  expect(await checkpoint()).toBe(true);
});

test("with checkpoints the write-ahead log stays small however much is written", async () => {
  const checkpoint = checkpointer(database.sql);
  for (let round = 0; round < 20; round += 1) {
    await database.sql`select pg_logical_emit_message(false, 'test', repeat('x', 16000000))`;
    await checkpoint();
  }
  expect(walSegments()).toBeLessThanOrEqual(8);
});

test("the table with the most dead rows is cleared first; when none needs it nothing is done", async () => {
  while (await vacuumWorst(database.sql));
  await database.sql`update users set quota = quota + 1`;
  await database.sql`insert into options select 'key' || n, 'v' from generate_series(1, 20) n`;
  // The engine adds up what its statements did once a second, at the end of one.
  await until(async () => {
    const [stats] = await database.sql`select n_dead_tup as dead from pg_stat_user_tables where relname = 'users'`;
    return Number(stats?.dead) > 0;
  });
  expect(await vacuumWorst(database.sql)).toBe("users");
  const [stats] = await database.sql`select n_dead_tup as dead from pg_stat_user_tables where relname = 'users'`;
  expect(stats?.dead).toBe(0);
  expect(await vacuumWorst(database.sql)).toBeNull();
});
