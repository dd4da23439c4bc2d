import { openSync } from "node:fs";
import { restoreBackup } from "../../db/backup/restore-backup.ts";
import { openDatabase } from "../../db/connect.ts";
import { ensureDataDir } from "../lib/runtime/data-dir.ts";
import { createVault } from "../lib/security/crypto.ts";
import { loadExistingSecrets } from "../lib/security/secrets.ts";
import { checkBackupKey } from "../settings/key-check.ts";
import { loadCommandConfig } from "./control/command-config.ts";

/**
 * Reads a backup into the configured database, which no gateway may be using; with `force` everything in it is replaced.
 * `ofLogs`: into the log's own database. Returns the exit code. Throws BackupError, DatabaseError, SecretsError for a backup that was made under another key: then nothing is changed.
 */
export async function restore(
  file: string,
  { force, ofLogs }: Readonly<{ force: boolean; ofLogs: boolean }>,
): Promise<number> {
  const { config, asCaller } = await loadCommandConfig({ ofLogs });
  await ensureDataDir(config.dataDir, config.databaseUrl === null);
  const secrets = await loadExistingSecrets(config);
  const vault = secrets && createVault(secrets);
  const place = config.databaseUrl === null ? config.dataDir : "the database server";
  const database = await openDatabase(config);
  try {
    if (force) process.stdout.write(`Replacing everything in ${place}\n`);
    const { counts, leftOut } = await restoreBackup(database, file, {
      replace: force,
      open: (path) => asCaller(() => openSync(path, "r")),
      checkOption: (option) => checkBackupKey(option, vault),
    });
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
    process.stdout.write(`${rows} rows of ${Object.keys(counts).length} tables restored into ${place}\n`);
    const unknown = [...leftOut.tables, ...leftOut.columns];
    if (unknown.length > 0) {
      process.stdout.write(
        `A newer release made it. This one does not know, and has left out: ${unknown.join(", ")}\n`,
      );
    }
    process.stdout.write("Sessions and one-time codes are in no backup: everybody signs in again.\n");
    return 0;
  } finally {
    await database.close();
  }
}
