/**
 * The thread in which the embedded engine lives. It is one Postgres session behind a private unix socket that admits one
 * connection: more would mix up each other's statements.
 */
import { chmodSync, existsSync, fsyncSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { readPackedSync } from "../../src/lib/runtime/packed-files.ts";
import type { WorkerCommand, WorkerReply } from "./messages.ts";

declare const self: Worker;

/** Parts of the engine that its types do not show. */
type Internals = {
  Module: {
    NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } };
    _PostgresMainLoopOnce: () => void;
  };
};
type StartParameters = { defaultStartParams: string[] };

/** The status of what the engine throws to leave a statement that failed. */
const LONG_JUMP = 100;

/** The longest that a timer of the runtime takes; a longer one would be over at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The engine sets its alarm to a time of the wall clock. When a clock that was weeks ahead is corrected, that is weeks away: more
 * than a timer takes, so the engine would be woken every millisecond, to set it again.
 */
function boundTimers(): void {
  const setTimer = globalThis.setTimeout;
  const bounded = (work: () => void, delayMs = 0): Timer => setTimer(work, Math.min(delayMs, LONGEST_TIMER_MS));
  globalThis.setTimeout = Object.assign(bounded, setTimer);
}
boundTimers();

let engine: PGlite | null = null;
let server: PGLiteSocketServer | null = null;
let busySince: number | null = null;

const reply = (message: WorkerReply) => self.postMessage(message);

self.onmessage = async ({ data: command }: MessageEvent<WorkerCommand>) => {
  try {
    if (command.op === "prepare") {
      await prepare(command.dataDir);
      reply({ op: "ready" });
    } else if (command.op === "start") {
      await start(command);
      reply({ op: "ready" });
    } else if (command.op === "ping") {
      reply({ op: "alive", busyMs: busySince === null ? 0 : performance.now() - busySince });
    } else {
      await server?.stop();
      await engine?.close();
      reply({ op: "stopped" });
    }
  } catch (error) {
    reply({ op: "failed", message: error instanceof Error ? error.message : String(error) });
  }
};

let files: Blob | null = null;

/** What can be done while another thread compiles the engine. */
async function prepare(dataDir: string): Promise<void> {
  files = new Blob([readPackedSync("pglite.data")]);
  if (!existsSync(join(dataDir, "PG_VERSION"))) await unpackSeed(dataDir);
}

async function start({ dataDir, socket, fsync, program }: Extract<WorkerCommand, { op: "start" }>): Promise<void> {
  if (!files) throw new Error("the engine was started before its files were there");
  const durable = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];
  const defaults = (PGlite as unknown as StartParameters).defaultStartParams;
  engine = await PGlite.create({
    dataDir,
    pgliteWasmModule: program,
    fsBundle: files,
    startParams: [
      ...defaults.filter((parameter) => parameter !== "-F" || !fsync),
      ...(fsync ? durable : []),
      "-c",
      "shared_buffers=8MB",
      "-c",
      "max_wal_size=64MB",
    ],
  });
  files = null;
  // The engine's file system has no fsync of its own: without this, "fsync=on" would be an empty word.
  const internals = engine as unknown as Internals;
  if (fsync) {
    internals.Module.NODEFS.stream_ops.fsync = ({ nfd }) => {
      fsyncSync(nfd);
      return 0;
    };
  }
  watch(internals);
  if (existsSync(socket)) unlinkSync(socket);
  server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: 1 });
  await server.start();
}

/** Moves a complete initialized data directory into place: an interrupted start begins again. */
async function unpackSeed(dataDir: string): Promise<void> {
  const draft = `${dataDir}.new`;
  rmSync(draft, { recursive: true, force: true });
  await new Bun.Archive(readPackedSync("seed.tar")).extract(draft);
  chmodSync(draft, 0o700);
  renameSync(draft, dataDir);
}

/**
 * The engine answers wrong statements by itself, in long jumps. Anything else that it throws is a crash, which the library
 * swallows, only to turn in circles from then on: so the thread ends here, and its guard starts another.
 */
function watch({ Module }: Internals): void {
  const step = Module._PostgresMainLoopOnce;
  Module._PostgresMainLoopOnce = () => {
    busySince ??= performance.now();
    try {
      step();
    } catch (error) {
      if ((error as { status?: number }).status === LONG_JUMP) throw error;
      reply({ op: "broken", message: error instanceof Error ? error.message : String(error) });
      process.exit(1);
    } finally {
      busySince = null;
    }
  };
}
