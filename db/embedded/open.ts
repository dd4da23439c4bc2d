import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openDriver } from "../driver.ts";
import { type Database, DatabaseError } from "../types.ts";
import { lockDataDir } from "./lock.ts";
import type { WorkerCommand, WorkerReply } from "./messages.ts";

/** The major version of the pinned engine: another one cannot read its files. */
const ENGINE_MAJOR = "18";
/** sun_path holds 108 bytes with its closing zero. */
const LONGEST_SOCKET_PATH = 107;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

export type EmbeddedOptions = Readonly<{
  dataDir: string;
  /** False only where the data may be lost, in tests. */
  fsync?: boolean;
}>;

/**
 * Opens the embedded Postgres of a data directory, made from the built-in seed when new. It is ONE session: one connection,
 * no LISTEN/NOTIFY, no COPY FROM STDIN, no statement timeout. Throws DatabaseError.
 */
export async function openEmbedded({ dataDir, fsync = true }: EmbeddedOptions): Promise<Database> {
  const home = resolve(dataDir);
  await mkdir(home, { recursive: true });
  const unlock = lockDataDir(home);
  const engineDir = join(home, "postgres");
  try {
    checkVersion(engineDir);
    const sockets = await socketDirectory(home);
    const worker = await startWorker({ op: "start", dataDir: engineDir, socket: join(sockets, SOCKET), fsync });
    const { sql, db } = openDriver({ host: sockets, database: "postgres", user: "postgres", max: 1 });
    return {
      db,
      sql,
      kind: "embedded",
      async health() {
        await sql`select 1`;
      },
      async close() {
        await sql.end({ timeout: 5 });
        await ask(worker, { op: "stop" }, STOP_TIMEOUT_MS).catch(() => {});
        worker.terminate();
        await rm(sockets, { recursive: true, force: true });
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

const SOCKET = ".s.PGSQL.5432";

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

/** A directory that only this user can enter; beside the data unless the path would be too long for a socket. */
async function socketDirectory(home: string): Promise<string> {
  const beside = join(home, "run");
  if (Buffer.byteLength(join(beside, SOCKET)) > LONGEST_SOCKET_PATH) return mkdtemp(join(tmpdir(), "sluice-"));
  await mkdir(beside, { recursive: true, mode: 0o700 });
  await chmod(beside, 0o700);
  return beside;
}

async function startWorker(command: WorkerCommand): Promise<Worker> {
  const worker = new Worker(workerAddress());
  try {
    await ask(worker, command, START_TIMEOUT_MS);
    return worker;
  } catch (error) {
    worker.terminate();
    throw new DatabaseError(`the embedded database does not start: ${error instanceof Error ? error.message : error}`);
  }
}

/** Inside the executable all entry points lie under one root; from source the worker is this file's neighbour. */
const workerAddress = (): string =>
  Bun.isStandaloneExecutable ? "./db/embedded/worker.ts" : new URL("./worker.ts", import.meta.url).href;

function ask(worker: Worker, command: WorkerCommand, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    worker.onmessage = ({ data }: MessageEvent<WorkerReply>) => {
      clearTimeout(timer);
      if (data.op === "failed") reject(new Error(data.message));
      else resolve();
    };
    worker.onerror = (event) => {
      clearTimeout(timer);
      reject(new Error(event.message));
    };
    worker.postMessage(command);
  });
}
