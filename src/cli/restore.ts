import { restoreBackup } from "../../db/backup/restore-backup.ts";
import { openDatabase } from "../../db/connect.ts";
import { readConfig } from "../config.ts";

/**
 * Reads a backup into the configured database, which no gateway may be using; with `force` everything in it is replaced.
 * Returns the exit code. Throws BackupError, DatabaseError.
 */
export async function restore(file: string, force: boolean): Promise<number> {
  const config = readConfig();
  const place = config.databaseUrl === null ? config.dataDir : "the database server";
  const database = await openDatabase(config);
  try {
    if (force) process.stdout.write(`Replacing everything in ${place}\n`);
    const counts = await restoreBackup(database, file, { replace: force });
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${rows} rows of ${Object.keys(counts).length} tables restored into ${place}\n`);
    process.stdout.write(
      "Start it with the key the backup was made with (ENCRYPTION_KEY, or secret.key in DATA_DIR).\n",
    );
    return 0;
  } finally {
    await database.close();
  }
}
