import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { until } from "../../test/support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import type { Database, Db } from "../types.ts";
import { openServer } from "./open-server.ts";
import { openReplica, type Reads } from "./replica.ts";

setDefaultTimeout(120_000);

let primary: TemporaryPostgres;
let standby: TemporaryPostgres;
let database: Database;
let reads: Reads;
const changes: string[] = [];
beforeAll(async () => {
  primary = await startTemporaryPostgres({ durable: false });
  standby = await startTemporaryPostgres({ durable: false, standbyOf: primary.url });
  database = await openServer(primary.url, 2);
  await database.sql`create table numbers as select 1 as number`;
  reads = await openReplica({
    primary: database.db,
    url: standby.url,
    maxLagSeconds: 0.5,
    onChange: (isUsed, reason) => changes.push(`${isUsed ? "used" : "unused"}: ${reason}`),
  });
});
afterAll(async () => {
  await reads.close();
  await database.close();
  await standby.stop();
  await primary.stop();
});

const isStandby = async (db: Db) => (await db.execute(sql`select pg_is_in_recovery() as standby`))[0]?.standby;
const onStandby = async (statement: string) => {
  const { sql: driver, close } = await openServer(standby.url, 1);
  const rows = await driver.unsafe(statement);
  await close();
  return rows;
};

test("reads go to the standby", async () => {
  // Its connection to the primary may need a moment.
  await until(() => reads.replica()?.isUsed === true);
  expect(reads.replica()?.lagSeconds).toBeLessThanOrEqual(0.5);
  expect(await reads.read(isStandby)).toBe(true);
});

test("a query that fails on the standby is run on the primary", async () => {
  expect(await reads.read((db) => db.execute(sql`create table written as select 1 as number`))).toBeDefined();
  expect(await database.sql`select count(*) from written`).toEqual([{ count: 1 }] as never);
  await expect(reads.read((db) => db.execute(sql`select * from nowhere`))).rejects.toThrow();
});

test("a standby that replays nothing is left alone until it has caught up", async () => {
  await database.sql`insert into numbers values (1)`;
  await until(async () => (await onStandby("select pg_last_xact_replay_timestamp() as at"))[0]?.at !== null);
  changes.length = 0;
  await onStandby("select pg_wal_replay_pause()");
  await database.sql`insert into numbers values (2)`;
  await until(() => reads.replica()?.isUsed === false);
  expect(reads.replica()?.lagSeconds).toBeGreaterThan(0.5);
  expect(await reads.read(isStandby)).toBe(false);
  await onStandby("select pg_wal_replay_resume()");
  await until(() => reads.replica()?.isUsed === true);
  expect(await reads.read(isStandby)).toBe(true);
  expect(changes).toEqual([expect.stringMatching(/^unused: [\d.]+ s behind$/), expect.stringMatching(/^used: /)]);
});

test("a standby that gets nothing from its primary is behind, although it has replayed all it has", async () => {
  const other = await openServer(standby.url, 1);
  await other.sql.unsafe("alter system set primary_conninfo = ''");
  await other.sql`select pg_reload_conf()`;
  await other.close();
  await until(() => reads.replica()?.isUsed === false);
  expect(await reads.read(isStandby)).toBe(false);
});

test("without a standby the primary is read", async () => {
  await standby.shutDown();
  await until(() => reads.replica()?.lagSeconds === null);
  expect(await reads.read(isStandby)).toBe(false);
});
