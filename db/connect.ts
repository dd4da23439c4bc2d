import { existsSync } from "node:fs";
import { join } from "node:path";
import { openEmbedded } from "./embedded/open.ts";
import { ensurePartitions } from "./maintenance/partitions.ts";
import { migrateDatabase } from "./migrate/migrate.ts";
import { openServer } from "./server/open-server.ts";
import { type Database, DatabaseError } from "./types.ts";

type Place = Readonly<{
  databaseUrl: string | null;
  /** The server itself, where `databaseUrl` names a pooler in transaction mode. */
  databaseDirectUrl?: string | null;
  dataDir: string;
  /** Most that are open to a server at a time; by default twelve. */
  connections?: number;
}>;

/**
 * Opens the configured database and brings its tables up to date. `onTrouble` is called for an embedded engine that crashed and
 * was started again. Throws DatabaseError.
 */
export async function openDatabase(place: Place, onTrouble?: (message: string) => void): Promise<Database> {
  const database = await connect(place, onTrouble);
  try {
    await migrateDatabase(database, place.databaseUrl && (place.databaseDirectUrl ?? place.databaseUrl));
    // A job makes the next months' while calls are served already.
    await ensurePartitions(database, new Date(), 0);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the configured database as it is, to read it. Throws DatabaseError, also when there is none. */
export async function openExistingDatabase(place: Place): Promise<Database> {
  requireDatabase(place);
  return connect(place);
}

/** Throws DatabaseError where an embedded database is configured that no start has made. */
export function requireDatabase(place: Place): void {
  if (place.databaseUrl === null && !existsSync(join(place.dataDir, "postgres/PG_VERSION"))) {
    throw new DatabaseError(`there is no database in ${place.dataDir}: set DATA_DIR or DATABASE_URL`);
  }
}

const connect = (
  { databaseUrl, databaseDirectUrl, dataDir, connections }: Place,
  onTrouble?: (message: string) => void,
): Promise<Database> =>
  databaseUrl === null ? openEmbedded({ dataDir, onTrouble }) : openServer(databaseUrl, connections, databaseDirectUrl);
