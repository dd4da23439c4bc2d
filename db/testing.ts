import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Changes, createChanges } from "./changes.ts";
import { openEmbedded } from "./embedded/open.ts";
import { migrateDatabase } from "./migrate.ts";
import { openServer } from "./open-server.ts";
import { ensurePartitions } from "./partitions.ts";
import type { Database } from "./types.ts";

export type TestDatabase = Database & Readonly<{ changes: Changes; url: string | null; dataDir: string }>;

/**
 * An empty, migrated database for one test file: embedded, or a new one on the server named by TEST_DATABASE_URL.
 * close() removes it.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-test-"));
  const server = process.env.TEST_DATABASE_URL;
  const { url, drop } = server ? await createOn(server) : { url: null, drop: async () => {} };
  const database = url === null ? await openEmbedded({ dataDir, fsync: false }) : await openServer(url, 6);
  await migrateDatabase(database, url);
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

async function createOn(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const admin = async (statement: string) => {
    const { sql, close } = await openServer(server, 1);
    await sql.unsafe(statement);
    await close();
  };
  await admin(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`drop database ${name} with (force)`) };
}
