import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

test("weights of an older release keep their shares: 10 more each, unless all are equal", async () => {
  const { sql } = database;
  const folder = join(import.meta.dir, "migrations");
  const file = readdirSync(folder).find((name) => name.endsWith("_weights_as_shares.sql")) ?? "";
  const statements = readFileSync(join(folder, file), "utf8").split("--> statement-breakpoint");
  const migrated = async (...weights: number[]) => {
    await sql`delete from channels`;
    for (const weight of weights) {
      const [{ id } = { id: 0 }] =
        await sql`insert into channels (type, name, key_cipher, created_time, weight) values (1, 'c', '', 1, ${weight}) returning id`;
      await sql`insert into abilities ("group", model, channel_id, enabled, weight) values ('default', 'm', ${id}, true, ${weight})`;
    }
    for (const statement of statements) await sql.unsafe(statement);
    const rows =
      await sql`select c.weight, a.weight as ability from channels c join abilities a on a.channel_id = c.id order by c.id`;
    return rows.flatMap(({ weight, ability }) => [weight, ability]);
  };
  expect(await migrated(0, 3)).toEqual([10, 10, 13, 13]);
  expect(await migrated(5, 5)).toEqual([5, 5, 5, 5]);
  await sql`delete from channels`;
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
