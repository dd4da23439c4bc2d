import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "../types.ts";
import { openEmbedded } from "./open.ts";

setDefaultTimeout(240_000);

let dataDir = "";
let database: Database | null = null;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sluice-engine-"));
});
afterEach(async () => {
  await database?.close();
  database = null;
  await rm(dataDir, { recursive: true, force: true });
});

test("an engine that crashes is started again: statements under way fail, later ones work, nothing is lost", async () => {
  const troubles: string[] = [];
  database = await openEmbedded({ dataDir, onTrouble: (message) => troubles.push(message) });
  const { sql } = database;
  await sql`create table kept (id int primary key)`;
  await sql`insert into kept values (1)`;
  await sql`select pg_switch_wal()`;
  // Without the folder of its write-ahead log it cannot go on: it panics.
  const wal = join(dataDir, "postgres/pg_wal");
  await rename(wal, `${wal}.away`);
  await expect(sql`insert into kept values (2)`.execute()).rejects.toThrow();
  await rename(`${wal}.away`, wal);
  // The driver may report the crash's message a second time.
  await sql`select 1`.execute().catch(() => {});
  await sql`insert into kept values (3)`;
  expect([...(await sql`select id from kept order by id`)]).toEqual([{ id: 1 }, { id: 3 }]);
  expect(troubles.length).toBe(1);
  await database.health();
});

test("data of another engine version is refused with what to do", async () => {
  const first = await openEmbedded({ dataDir });
  await first.close();
  await writeFile(join(dataDir, "postgres/PG_VERSION"), "17\n");
  await expect(openEmbedded({ dataDir })).rejects.toThrow(/written by embedded Postgres 17.*backup/);
});

test("data that cannot be read is refused, and the next start is not locked out", async () => {
  const first = await openEmbedded({ dataDir });
  await first.close();
  const control = join(dataDir, "postgres/global/pg_control");
  await rename(control, `${control}.away`);
  await expect(openEmbedded({ dataDir })).rejects.toThrow("sluice restore");
  await rename(`${control}.away`, control);
  database = await openEmbedded({ dataDir });
  await database.health();
});

test("a page that the disk damaged is an error when it is read, never other rows", async () => {
  database = await openEmbedded({ dataDir });
  const { sql } = database;
  await sql`create table kept as select n, 'value ' || n as value from generate_series(1, 50) n`;
  const [file] = await sql<{ path: string }[]>`select pg_relation_filepath('kept') as path`;
  await sql.unsafe("checkpoint");
  await database.close();
  const path = join(dataDir, "postgres", file?.path ?? "");
  const page = await readFile(path);
  page[page.lastIndexOf("value 7")] = 0x58;
  await writeFile(path, page);
  database = await openEmbedded({ dataDir });
  await expect(database.sql`select * from kept`.execute()).rejects.toThrow("invalid page");
  await database.health();
});

test("a data directory with a long name works too", async () => {
  const long = join(dataDir, "a".repeat(100), "b".repeat(60));
  database = await openEmbedded({ dataDir: long });
  expect([...(await database.sql`select 1 as one`)]).toEqual([{ one: 1 }]);
});
