/** The embedded engine's tables, made once for all tests: a third of what a start costs. */
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINE_FOLDER, openEmbedded } from "../../../db/embedded/open.ts";
import { ensurePartitions, monthOf } from "../../../db/maintenance/partitions.ts";
import { migrateDatabase } from "../../../db/migrate/migrate.ts";

const MIGRATIONS = join(import.meta.dir, "../../../db/migrations");

/** Copies the embedded engine's files, with tables and partitions, into a data folder that has none. */
export async function prepareTables(dataDir: string): Promise<void> {
  // The system's own program takes a fifth of the time for a thousand small files.
  const command = ["cp", "-R", await ensurePrepared(), join(dataDir, ENGINE_FOLDER)];
  const copying = Bun.spawn(command, {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await copying.exited) !== 0) throw new Error(`the tables could not be copied to ${dataDir}`);
}

/**
 * The embedded engine's files with tables and partitions, which take a second to make: the first test of a run makes
 * them, others copy them. They are named after the migrations and the month, and lie in the temporary folder.
 */
async function ensurePrepared(): Promise<string> {
  const prepared = join(tmpdir(), `sluice-tables-${await migrationsHash()}-${monthOf(new Date(), 0).name}`);
  if (existsSync(prepared)) return prepared;
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-tables-"));
  const database = await openEmbedded({ dataDir, fsync: false });
  await migrateDatabase(database, null);
  await ensurePartitions(database);
  await database.close();
  // Whoever else made them at the same time made the same.
  await rename(join(dataDir, ENGINE_FOLDER), prepared).catch((error) => {
    if (!existsSync(prepared)) throw error;
  });
  await rm(dataDir, { recursive: true, force: true });
  return prepared;
}

/** Changes with the migrations. */
export async function migrationsHash(): Promise<string> {
  const hash = new Bun.CryptoHasher("sha1");
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.endsWith(".sql")) hash.update(await Bun.file(join(MIGRATIONS, file)).bytes());
  }
  return hash.digest("hex").slice(0, 16);
}
