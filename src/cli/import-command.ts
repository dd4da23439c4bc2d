import { refuseInUse } from "../../db/backup/restore-backup.ts";
import { openDatabase } from "../../db/connect.ts";
import { DEADLINES_MS, withDeadline } from "../../db/server/deadlines.ts";
import { ensureDataDir } from "../lib/runtime/data-dir.ts";
import { createVault } from "../lib/security/crypto.ts";
import { loadSecrets } from "../lib/security/secrets.ts";
import { checkEncryptionKey } from "../settings/key-check.ts";
import { loadCommandConfig } from "./control/command-config.ts";
import { writeReport } from "./import/report.ts";
import { runImport } from "./import/run-import.ts";

/**
 * Brings the data of another gateway into the configured database, which no gateway may be using, and prints a report. `env`
 * has the salt key of LiteLLM, and variables that its models name. Returns the exit code. Throws SourceError, DatabaseError, BackupError, SecretsError.
 */
export async function importData(
  from: string,
  choices: Readonly<{ isDry: boolean; withLogs: boolean; balanceUsd: number; env: NodeJS.ProcessEnv }>,
): Promise<number> {
  const { config, asCaller } = await loadCommandConfig();
  await ensureDataDir(config.dataDir, config.databaseUrl === null);
  const secrets = await loadSecrets(config);
  const vault = createVault(secrets);
  const database = await openDatabase(config);
  try {
    await checkEncryptionKey(database.db, vault, secrets.source);
    if (database.kind === "server") await refuseInUse(database.sql);
    const { family, report } = await withDeadline(DEADLINES_MS.long, () =>
      runImport({ database, vault }, from, { ...choices, asCaller }),
    );
    process.stdout.write(`${family}${choices.isDry ? ", dry run: nothing is written" : ""}\n`);
    process.stdout.write(writeReport(report, choices.isDry));
    return 0;
  } finally {
    await database.close();
  }
}
