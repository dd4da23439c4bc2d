import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Changes, createChanges } from "../../db/changes.ts";
import { openEmbedded } from "../../db/embedded/open.ts";
import { ensurePartitions, monthOf } from "../../db/maintenance/partitions.ts";
import { migrateDatabase } from "../../db/migrate/migrate.ts";
import { openServer } from "../../db/server/open-server.ts";
import type { Database } from "../../db/types.ts";
import { migrationsHash, prepareTables } from "./processes/prepared-tables.ts";

export type TestDatabase = Database & Readonly<{ changes: Changes; url: string | null; dataDir: string }>;

/**
 * An empty, migrated database for one test file: embedded, or a new one on the server named by TEST_DATABASE_URL.
 * close() removes it.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-test-"));
  const server = process.env.TEST_DATABASE_URL;
  const { url, drop } = server ? await createMigrated(server) : { url: null, drop: async () => {} };
  if (url === null) await prepareTables(dataDir);
  const database = url === null ? await openEmbedded({ dataDir, fsync: false }) : await openServer(url, 6);
  await ensurePartitions(database);
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  return {
    ...database,
    changes,
    url,
    dataDir,
    async close() {
      await changes.close();
      await database.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Any number that nobody else takes. */
const LOCK = 7_583_100;

/** A new database on a server, copied from one that the first test to come has migrated. */
export async function createMigrated(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const admin = async (work: (sql: Database["sql"]) => Promise<unknown>) => {
    const { sql, close } = await openServer(server, 1);
    await work(sql).finally(close);
  };
  await admin(async (sql) => {
    // Until the connection is closed: tests come from several processes at the same time.
    await sql`select pg_advisory_lock(${LOCK})`;
    const template = await ensureTemplate(sql, server);
    // Copying files takes half of the work of writing the copy to the log as well.
    await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
  });
  const drop = () => admin((sql) => sql.unsafe(`drop database ${name} with (force)`));
  return { url: addressOf(server, name), drop };
}

/** Named after the migrations and the month of its partitions, so that a server may be kept while they change. */
async function ensureTemplate(sql: Database["sql"], server: string): Promise<string> {
  const name = `template_${await migrationsHash()}_${monthOf(new Date(), 0).name}`;
  const [known] = await sql`select 1 from pg_database where datname = ${name}`;
  if (known) return name;
  const draft = `${name}_draft`;
  await sql.unsafe(`drop database if exists ${draft} with (force)`);
  await sql.unsafe(`create database ${draft}`);
  const url = addressOf(server, draft);
  const database = await openServer(url, 1);
  await migrateDatabase(database, url);
  await ensurePartitions(database);
  await database.close();
  await sql.unsafe(`alter database ${draft} rename to ${name}`);
  return name;
}

function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
