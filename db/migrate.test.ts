import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../test/support/database.ts";
import { migrateDatabase } from "./migrate.ts";
import { openServer } from "./server/open-server.ts";
import { DatabaseError } from "./types.ts";

setDefaultTimeout(240_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const migrate = () => migrateDatabase(database, database.url);

test("running it again changes nothing", async () => {
  const applied = () => database.sql`select count(*)::int as rows from drizzle.__drizzle_migrations`;
  const before = await applied();
  await migrate();
  expect([...(await applied())]).toEqual([...before]);
});

test("tables of a newer release are refused", async () => {
  await database.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`;
  await expect(migrate()).rejects.toThrow(/newer release/);
  await database.sql`delete from drizzle.__drizzle_migrations where hash = 'later'`;
  await migrate();
});

test("one that fails says why and leaves nothing half done", async () => {
  await database.sql`alter schema drizzle rename to drizzle_away`;
  // Its first table is there already.
  const failed = migrate();
  await expect(failed).rejects.toThrow(DatabaseError);
  await expect(failed).rejects.toThrow(/already exists/);
  await database.sql`drop schema drizzle cascade`;
  await database.sql`alter schema drizzle_away rename to drizzle`;
  await migrate();
});

test("tables from before the first release are refused with the way to carry them over", async () => {
  const { sql } = database;
  const [{ newest } = { newest: 0 }] =
    await sql`select max(created_at)::bigint as newest from drizzle.__drizzle_migrations`;
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
