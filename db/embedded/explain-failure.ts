import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { findNewestBackup } from "../backup/find-backup.ts";
import { DatabaseError } from "../types.ts";

const FULL = "the disk is full: make room in DATA_DIR (100 MB at least) and start again";
/** With less the engine can't write its log, whatever it says itself. */
const LEAST_FREE_BYTES = 20_000_000;

/** What the disk says, not the data: EROFS, ENOSPC and the like in a message of the engine or the system. */
const DISK_TROUBLE: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|EDQUOT|No space left/i, FULL],
  [/EROFS|Read-only file system/i, "the file system is read-only: mount DATA_DIR writable"],
  [
    /EACCES|EPERM|Permission denied/i,
    "files in DATA_DIR belong to somebody else: give them to the user of this process",
  ],
];

/**
 * Throws DatabaseError, with what to do, when the folder of the embedded database holds something that is none: a part of
 * one, or a file.
 */
export async function refuseIncomplete(home: string, engineDir: string): Promise<void> {
  if (!existsSync(engineDir)) return;
  if (!statSync(engineDir).isDirectory()) throw await damaged(home, engineDir, "it is a file");
  if (readdirSync(engineDir).length === 0) return;
  const version = join(engineDir, "PG_VERSION");
  if (!existsSync(version)) throw await damaged(home, engineDir, "PG_VERSION is missing");
  if (readFileSync(version, "utf8").trim() === "") throw await damaged(home, engineDir, "PG_VERSION is empty");
}

/** Why the embedded engine did not start, in words of this product, with what to do about it. */
export async function explainFailure(home: string, engineDir: string, error: Error): Promise<DatabaseError> {
  const trouble = DISK_TROUBLE.find(([pattern]) => pattern.test(error.message))?.[1] ?? (await findFullDisk(home));
  if (trouble) return new DatabaseError(`the embedded database does not start: ${error.message}: ${trouble}`);
  if (!existsSync(engineDir))
    return new DatabaseError(`the embedded database can't be made in ${home}: ${error.message}`);
  return damaged(home, engineDir, `its engine says “${error.message.replace(/\.$/, "")}”`);
}

async function findFullDisk(home: string): Promise<string | null> {
  const { bavail, bsize } = await statfs(home);
  return bavail * bsize < LEAST_FREE_BYTES ? FULL : null;
}

async function damaged(home: string, engineDir: string, reason: string): Promise<DatabaseError> {
  const backup = await findNewestBackup([home, join(home, "backups"), process.cwd()]);
  const found = backup
    ? `The newest backup found is ${backup.path}, made ${backup.madeAt}.`
    : "No backup was found in DATA_DIR or the working directory: fetch the newest that `sluice backup` wrote.";
  const file = backup?.path ?? "FILE";
  return new DatabaseError(
    `the embedded database in ${engineDir} is damaged: ${reason}. Nothing was deleted. ${found} ` +
      `To go back to it: mv ${engineDir} ${engineDir}.damaged && DATA_DIR=${home} sluice restore ${file} && ` +
      `DATA_DIR=${home} sluice serve. The key and the journal stay in DATA_DIR; charges between the backup and the journal are lost.`,
  );
}
