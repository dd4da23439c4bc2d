/**
 * The thread in which the embedded engine lives. It is one Postgres session behind a private unix socket that admits one
 * connection: more would mix up each other's statements.
 */
import { existsSync, fsyncSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import initdbWasm from "../../node_modules/@electric-sql/pglite/dist/initdb.wasm" with { type: "file" };
import engineData from "../../node_modules/@electric-sql/pglite/dist/pglite.data" with { type: "file" };
import engineWasm from "../../node_modules/@electric-sql/pglite/dist/pglite.wasm" with { type: "file" };
import type { WorkerCommand, WorkerReply } from "./messages.ts";
import seed from "./seed.tar.gz" with { type: "file" };

declare const self: Worker;

/** Parts of the engine that its types do not show. */
type Internals = { Module: { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } } };
type StartParameters = { defaultStartParams: string[] };

let engine: PGlite | null = null;
let server: PGLiteSocketServer | null = null;
let busySince: number | null = null;

const reply = (message: WorkerReply) => self.postMessage(message);

self.onmessage = async ({ data: command }: MessageEvent<WorkerCommand>) => {
  try {
    if (command.op === "start") {
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

async function start({ dataDir, socket, fsync }: Extract<WorkerCommand, { op: "start" }>): Promise<void> {
  const fresh = !existsSync(join(dataDir, "PG_VERSION"));
  const compile = async (file: string) => WebAssembly.compile(await Bun.file(file).arrayBuffer());
  const durable = ["-c", "fsync=on", "-c", "wal_sync_method=fsync"];
  const defaults = (PGlite as unknown as StartParameters).defaultStartParams;
  engine = await PGlite.create({
    dataDir,
    pgliteWasmModule: await compile(engineWasm),
    ...(fresh && {
      initdbWasmModule: await compile(initdbWasm),
      loadDataDir: new File([await Bun.file(seed).arrayBuffer()], "seed.tar.gz", { type: "application/gzip" }),
    }),
    fsBundle: new Blob([await Bun.file(engineData).arrayBuffer()]),
    startParams: [
      ...defaults.filter((parameter) => parameter !== "-F" || !fsync),
      ...(fsync ? durable : []),
      "-c",
      "shared_buffers=8MB",
      "-c",
      "max_wal_size=64MB",
    ],
  });
  // The engine's file system has no fsync of its own: without this, "fsync=on" would be an empty word.
  if (fsync) {
    (engine as unknown as Internals).Module.NODEFS.stream_ops.fsync = ({ nfd }) => {
      fsyncSync(nfd);
      return 0;
    };
  }
  watch(engine);
  if (existsSync(socket)) unlinkSync(socket);
  server = new PGLiteSocketServer({ db: engine, path: socket, maxConnections: 1 });
  await server.start();
}

/** The engine answers wrong statements; what it throws is a crash of the engine itself, after which it is of no use. */
function watch(running: PGlite): void {
  const run = running.execProtocolRawStream.bind(running);
  running.execProtocolRawStream = async (message, options) => {
    busySince ??= performance.now();
    try {
      await run(message, options);
    } catch (error) {
      reply({ op: "broken", message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      busySince = null;
    }
  };
}
