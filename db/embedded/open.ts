import { Database as LockFile } from "bun:sqlite";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, statfs } from "node:fs/promises";
import { join, resolve } from "node:path";
import { explainUnreadable } from "../../src/lib/runtime/data-dir-owner.ts";
import { findNewestBackup } from "../backup/find-backup.ts";
import { openDriver } from "../server/driver.ts";
import { answersWithin } from "../server/health.ts";
import { type Database, DatabaseError } from "../types.ts";
import { Engine } from "./engine.ts";
import { createRunDirectory, ENGINE_SOCKET, removeRunDirectory } from "./run-directory.ts";

/** The major version of the pinned engine: another one cannot read its files. */
const ENGINE_MAJOR = "18";
/** Of a data directory: where the engine keeps its own. */
export const ENGINE_FOLDER = "postgres";

export type EmbeddedOptions = Readonly<{
  dataDir: string;
  /** False only where the data may be lost, in tests. */
  fsync?: boolean;
  /** Called when the engine crashed or hung and was restarted. */
  onTrouble?: (message: string) => void;
}>;

/**
 * Opens the embedded Postgres of a data directory, made from the built-in seed when new. It is ONE session: one connection,
 * no LISTEN/NOTIFY, no COPY FROM STDIN, no statement timeout. Throws DatabaseError.
 */
export async function openEmbedded({ dataDir, fsync = true, onTrouble }: EmbeddedOptions): Promise<Database> {
  const home = resolve(dataDir);
  await mkdir(home, { recursive: true });
  const unlock = lockDataDir(home);
  try {
    const engineDir = join(home, ENGINE_FOLDER);
    await refuseIncomplete(home, engineDir).catch((error) => {
      throw unreadable(home, engineDir) ?? error;
    });
    checkVersion(engineDir);
    const socket = join(await createRunDirectory(home), ENGINE_SOCKET);
    const engine = new Engine({ engineDir, socket, fsync, workerUrl: workerUrl(), onTrouble: onTrouble ?? (() => {}) });
    await engine.ready().catch(async (error: Error) => {
      throw await explainFailure(home, engineDir, error);
    });
    const { sql, ...handles } = openDriver({
      socket: () => engine.connect(),
      database: "postgres",
      user: "postgres",
      max: 1,
      max_lifetime: null,
    });
    return {
      ...handles,
      sql,
      sessionSql: sql,
      kind: "embedded",
      health: () => answersWithin(sql),
      async close() {
        await sql.end({ timeout: 5 });
        await engine.stop();
        await removeRunDirectory(home);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function checkVersion(engineDir: string): void {
  const file = join(engineDir, "PG_VERSION");
  if (!existsSync(file)) return;
  const found = readFileSync(file, "utf8").trim();
  if (found === ENGINE_MAJOR) return;
  throw new DatabaseError(
    `${engineDir} was written by embedded Postgres ${found}, this release has ${ENGINE_MAJOR}: ` +
      "make a backup with the release that wrote it and restore that into a new DATA_DIR",
  );
}

/** Inside the executable all entry points lie under one root; from source the worker is this file's neighbor. */
const workerUrl = (): string =>
  Bun.isStandaloneExecutable ? "./db/embedded/worker.ts" : new URL("./worker.ts", import.meta.url).href;

/**
 * Takes the data directory for this process alone; the operating system frees it when the process ends, however it ends.
 * (SQLite's exclusive lock is a POSIX record lock: the file must not be opened elsewhere in this process.)
 * Returns what releases it. Throws DatabaseError when another process has it.
 */
function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, "sluice.lock");
  try {
    // Whoever can read it could hold it. Its mode is changed without opening it, which would release the lock.
    if (existsSync(path)) chmodSync(path, 0o600);
    else writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw unreadable(dataDir, dataDir) ?? error;
  }
  const file = new LockFile(path, { create: true });
  try {
    file.run("pragma locking_mode = exclusive");
    file.run("begin exclusive");
  } catch {
    file.close();
    throw new DatabaseError(`another sluice process is using ${dataDir}: stop it, or choose another DATA_DIR`);
  }
  return () => file.close();
}

const FULL = "the disk is full: make room in DATA_DIR (100 MB at least) and start again";
/** With less the engine can't write its log, whatever it says itself. */
const LEAST_FREE_BYTES = 20_000_000;

/** What the disk says, not the data: EROFS, ENOSPC and the like in a message of the engine or the system. */
const DISK_TROUBLE: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|EDQUOT|No space left/i, FULL],
  [/EROFS|Read-only file system/i, "the file system is read-only: mount DATA_DIR writable"],
];

/**
 * Throws DatabaseError, with what to do, when the folder of the embedded database holds something that is none: a part of
 * one, or a file.
 */
async function refuseIncomplete(home: string, engineDir: string): Promise<void> {
  if (!existsSync(engineDir)) return;
  if (!statSync(engineDir).isDirectory()) throw await damaged(home, engineDir, "it is a file");
  if (readdirSync(engineDir).length === 0) return;
  const version = join(engineDir, "PG_VERSION");
  if (!existsSync(version)) throw await damaged(home, engineDir, "PG_VERSION is missing");
  if (readFileSync(version, "utf8").trim() === "") throw await damaged(home, engineDir, "PG_VERSION is empty");
}

/** Files of another user are no damage, whatever the engine says of them. Null where this process may use all of them. */
function unreadable(home: string, engineDir: string): DatabaseError | null {
  const reason = explainUnreadable(home, engineDir);
  return reason === null ? null : new DatabaseError(`the embedded database does not start: ${reason}`);
}

/** Why the embedded engine did not start, in words of this product, with what to do about it. */
async function explainFailure(home: string, engineDir: string, error: Error): Promise<DatabaseError> {
  const foreign = unreadable(home, engineDir);
  if (foreign) return foreign;
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
