import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openDriver } from "../server/driver.ts";
import { answersWithin } from "../server/health.ts";
import { type Database, DatabaseError } from "../types.ts";
import { Engine } from "./engine.ts";
import { explainFailure, refuseIncomplete } from "./explain-failure.ts";
import { lockDataDir } from "./lock.ts";
import { createRunDirectory, ENGINE_SOCKET, removeRunDirectory } from "./run-directory.ts";

/** The major version of the pinned engine: another one cannot read its files. */
const ENGINE_MAJOR = "18";
/** Of a data directory: where the engine keeps its own. */
export const ENGINE_FOLDER = "postgres";

export type EmbeddedOptions = Readonly<{
  dataDir: string;
  /** False only where the data may be lost, in tests. */
  fsync?: boolean;
  /** Hears that the engine crashed or hung, and was started again. */
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
    await refuseIncomplete(home, engineDir);
    checkVersion(engineDir);
    const socket = join(await createRunDirectory(home), ENGINE_SOCKET);
    const engine = new Engine({ engineDir, socket, fsync, workerUrl: workerUrl(), onTrouble: onTrouble ?? (() => {}) });
    await engine.ready().catch(async (error: Error) => {
      throw await explainFailure(home, engineDir, error);
    });
    const { sql, db, callDb } = openDriver({
      socket: () => engine.connect(),
      database: "postgres",
      user: "postgres",
      max: 1,
      max_lifetime: null,
    });
    return {
      db,
      callDb,
      sql,
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
