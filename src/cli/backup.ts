import { createWriteStream, openSync, renameSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { BackupError, type RowCounts } from "../../db/backup/format.ts";
import { readBackup } from "../../db/backup/read-backup.ts";
import { writeBackup } from "../../db/backup/write-backup.ts";
import { openExistingDatabase } from "../../db/connect.ts";
import type { AsCaller } from "../lib/runtime/data-dir-owner.ts";
import type { Config } from "../server/config.ts";
import { version } from "../server/version.ts";
import { loadCommandConfig } from "./control/command-config.ts";
import { askGateway } from "./control/control-client.ts";

/**
 * Writes the database to a file, also while a gateway is serving: one with the embedded database is asked to do it, since
 * it alone can. `ofLogs`: the log's own database. Returns the exit code. Throws BackupError, ControlError, DatabaseError.
 */
export async function backup(file: string, ofLogs: boolean): Promise<number> {
  const { config, asCaller } = await loadCommandConfig({ ofLogs });
  const path = resolve(file);
  const counts = (await fetchFromGateway(config, path, asCaller)) ?? (await writeDirectly(config, path, asCaller));
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { size } = asCaller(() => statSync(path));
  process.stdout.write(`${file}: ${rows} rows of ${Object.keys(counts).length} tables, ${Math.ceil(size / 1024)} KB\n`);
  process.stdout.write(
    "Secrets in it are encrypted: keep the key (ENCRYPTION_KEY or DATA_DIR/secret.key) too, elsewhere.\n",
  );
  return 0;
}

async function writeDirectly(config: Config, path: string, asCaller: AsCaller): Promise<RowCounts> {
  const database = await openExistingDatabase(config);
  try {
    return await writeBackup(database, path, { version, asCaller });
  } finally {
    await database.close();
  }
}

async function fetchFromGateway(config: Config, path: string, asCaller: AsCaller): Promise<RowCounts | null> {
  if (config.databaseUrl !== null) return null;
  const reply = await askGateway(config.dataDir, "backup");
  if (!reply) return null;
  const draft = `${path}.${process.pid}.part`;
  const fd = asCaller(() => openSync(draft, "w", 0o600));
  try {
    await pipeline(reply, createWriteStream(draft, { fd, flush: true }));
    const counts = await countsOf(draft, asCaller);
    asCaller(() => renameSync(draft, path));
    return counts;
  } finally {
    asCaller(() => rmSync(draft, { force: true }));
  }
}

/** Reads the whole file: what arrived must be complete before it stands under its name. */
async function countsOf(path: string, asCaller: AsCaller): Promise<RowCounts> {
  const open = () => asCaller(() => openSync(path, "r"));
  for await (const item of readBackup(path, open)) if (item.kind === "end") return item.counts;
  throw new BackupError("the gateway sent no backup");
}
