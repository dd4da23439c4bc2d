import { Database as SqliteFile } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { ensurePartitions } from "../../../db/maintenance/partitions.ts";
import { migrateDatabase } from "../../../db/migrate/migrate.ts";
import { openServer } from "../../../db/server/open-server.ts";
import type { Database } from "../../../db/types.ts";
import { findMariadb, startTemporaryMariadb } from "../processes/temporary-mariadb.ts";
import { startTemporaryPostgres } from "../processes/temporary-postgres.ts";
import type { Engine } from "./real-schemas.ts";
import type { Run } from "./start-import.ts";

export const MARIADB = findMariadb();

/** Servers that databases to import from, and to import into, are made on. */
export async function startEngines() {
  const folder = await mkdtemp(join(tmpdir(), "sluice-import-"));
  const postgres = await startTemporaryPostgres({ durable: false });
  const mariadb = MARIADB === null ? null : await startTemporaryMariadb(MARIADB);
  const admin = new SQL({ url: postgres.url, max: 1 });
  const template = await createOn(postgres.url, admin, "sluice");
  const migrated = await openServer(template, 2);
  await migrateDatabase(migrated, template);
  await ensurePartitions(migrated);
  await migrated.close();

  const sources: Readonly<Record<Engine, (name: string, fill: (run: Run) => Promise<void>) => Promise<string>>> = {
    async SQLite(name, fill) {
      const path = join(folder, `${name}.db`);
      const file = new SqliteFile(path, { create: true });
      await fill(async (statement) => file.run(statement));
      file.close();
      return path;
    },
    async Postgres(name, fill) {
      const url = await createOn(postgres.url, admin, `source_${name}`);
      const sql = new SQL({ url, max: 1 });
      await fill((statement) => sql.unsafe(statement));
      await sql.close();
      return url;
    },
    async MariaDB(name, fill) {
      if (!mariadb) throw new Error("MariaDB is not installed");
      const server = new SQL({ url: mariadb.url, adapter: "mysql", max: 1 });
      const url = await createOn(mariadb.url, server, `source_${name}`);
      await server.close();
      const sql = new SQL({ url, adapter: "mysql", max: 1 });
      await sql.unsafe("set sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'");
      await fill((statement) => sql.unsafe(statement));
      await sql.close();
      return url;
    },
  };
  return {
    /** Makes a database on the engine, and returns what an import needs to connect to it. */
    makeSource: (engine: Engine, name: string, fill: (run: Run) => Promise<void>) => sources[engine](name, fill),
    /** An empty database of the gateway. */
    async openTarget(name: string): Promise<Database> {
      return openServer(await createOn(postgres.url, admin, `target_${name}`, "template sluice"), 2);
    },
    async stop() {
      await admin.close();
      await Promise.all([postgres.stop(), mariadb?.stop(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Makes the database, and returns its address. */
async function createOn(server: string, admin: SQL, name: string, from = ""): Promise<string> {
  await admin.unsafe(`create database ${name} ${from}`);
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
