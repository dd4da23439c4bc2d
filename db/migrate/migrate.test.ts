import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { addMigration } from "../../test/support/processes/releases/next-migrations.ts";
import { openServer } from "../server/open-server.ts";
import { DatabaseError } from "../types.ts";
import { migrateDatabase, newestMigration, readApplied } from "./migrate.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
let folder = "";
beforeAll(async () => {
  database = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "sluice-migrations-"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const migrate = (migrations?: string) => migrateDatabase(database, database.url, migrations);

async function forget(time: number): Promise<void> {
  await database.sql`delete from drizzle.__drizzle_migrations where created_at = ${time}`;
}

test("running it again changes nothing", async () => {
  const applied = () => database.sql`select count(*)::int as rows from drizzle.__drizzle_migrations`;
  const before = await applied();
  await migrate();
  expect([...(await applied())]).toEqual([...before]);
});

test("this release works with tables that a later one has added to", async () => {
  const expand = join(folder, "expand");
  const time = await addMigration(expand, {
    sql: `alter table "users" add column "nickname" text;--> statement-breakpoint\ncreate table "pets" ("id" integer primary key);`,
  });
  await migrate(expand);
  expect(await readApplied(database.sql)).toEqual({ newest: time, compatibleFrom: 0 });
  await migrate();
  const [found] = await database.sql`select count(nickname)::int as names from users`;
  expect(found?.names).toBe(0);
  await database.sql`drop table pets`;
  await database.sql`alter table users drop column nickname`;
  await forget(time);
});

test("tables from which a later release has taken what this one uses are refused, by releases in between not", async () => {
  const own = await newestMigration();
  const next = { version: "0.2.0", migration: own + 1, commit: "next" };
  const contract = join(folder, "contract");
  const time = await addMigration(contract, {
    sql: `-- contract: unused since 0.2.0\nalter table "announcements" rename to "old_announcements";`,
    releases: [{ version: "0.1.0", migration: own, commit: "this" }, next],
  });
  await migrate(contract);
  expect(await readApplied(database.sql)).toEqual({ newest: time, compatibleFrom: next.migration });
  await expect(migrate()).rejects.toThrow(/cannot use it/);
  await migrate(contract);
  await database.sql`alter table old_announcements rename to announcements`;
  await forget(time);
});

test("a migration that takes away what no release has left unused is not applied", async () => {
  const early = join(folder, "early");
  await addMigration(early, { sql: `-- contract: unused since 0.9.0\ndrop table "announcements";` });
  await expect(migrate(early)).rejects.toThrow(/0\.9\.0, which is no release/);
  expect(await readApplied(database.sql)).toEqual({ newest: await newestMigration(), compatibleFrom: 0 });
});

test("one that fails says why and leaves nothing half done", async () => {
  await database.sql`alter schema drizzle rename to drizzle_away`;
  // Its first table is there already.
  const failed = migrate();
  await expect(failed).rejects.toThrow(DatabaseError);
  await expect(failed).rejects.toThrow(/already exists/);
  expect((await readApplied(database.sql)).newest).toBe(0);
  await database.sql`drop schema if exists drizzle cascade`;
  await database.sql`alter schema drizzle_away rename to drizzle`;
  await migrate();
});

test("tables from before the first release are refused with the way to carry them over", async () => {
  const { sql } = database;
  const { newest } = await readApplied(sql);
  await sql`update drizzle.__drizzle_migrations set created_at = 1795903604923`;
  await expect(migrate()).rejects.toThrow(/sluice backup FILE.*sluice restore FILE/);
  await sql`update drizzle.__drizzle_migrations set created_at = ${newest}`;
  await migrate();
});

test.skipIf(!process.env.TEST_DATABASE_URL)("replicas that start at once take turns", async () => {
  await database.sql`drop schema public cascade`;
  await database.sql`drop schema drizzle cascade`;
  await database.sql`create schema public`;
  const { url } = database;
  const replicas = await Promise.all(Array.from({ length: 4 }, () => openServer(url ?? "", 1)));
  await Promise.all(replicas.map((replica) => migrateDatabase(replica, url)));
  for (const replica of replicas) await replica.close();
  const [tables] = await database.sql`select to_regclass('users') is not null as present`;
  expect(tables?.present).toBe(true);
});
