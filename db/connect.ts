import { openEmbedded } from "./embedded/open.ts";
import { migrateDatabase } from "./migrate.ts";
import { openServer } from "./open-server.ts";
import { ensurePartitions } from "./partitions.ts";
import type { Database } from "./types.ts";

/** Opens the configured database and brings its tables up to date. Throws DatabaseError. */
export async function openDatabase(
  config: Readonly<{ databaseUrl: string | null; dataDir: string }>,
): Promise<Database> {
  const { databaseUrl, dataDir } = config;
  const database = databaseUrl === null ? await openEmbedded({ dataDir }) : await openServer(databaseUrl);
  try {
    await migrateDatabase(database, databaseUrl);
    await ensurePartitions(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
