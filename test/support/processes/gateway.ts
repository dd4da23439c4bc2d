import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeCountTable } from "../../../src/lib/limits/count-table.ts";
import { runtimeSettings } from "../../../src/lib/runtime/prepare-runtime.ts";
import { freePort } from "../lib/free-port.ts";
import { prepareTables } from "./prepared-tables.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 45_000;

export type Gateway = Readonly<{
  url: string;
  pid: number;
  dataDir: string;
  /** Milliseconds from starting the process to its first "ready". */
  startMs: number;
  /** All it has printed so far. */
  output: () => string;
  /** Sends a signal (default SIGTERM) and waits for the end. Returns the exit code, or 128 + the signal's number. */
  stop: (signal?: NodeJS.Signals) => Promise<number>;
}>;

export type GatewayOptions = Readonly<{
  env?: Readonly<Record<string, string>>;
  /** Keep the data of an earlier start; undefined: a new temporary folder, removed when this process ends. */
  dataDir?: string;
  /**
   * The gateway makes its embedded database itself and starts itself again with what the runtime reads from its environment,
   * as at its first start; otherwise the tables and these variables are there.
   */
  isFirstStart?: boolean;
  /** Starts this instead of the executable that is tested. */
  command?: readonly string[];
}>;

const running = new Set<Bun.Subprocess>();
const folders = new Set<string>();
process.on("exit", endLeftovers);

/** Ends every gateway that still runs and removes the temporary data of all: when this process ends, or its tests do. */
export function endLeftovers(): void {
  for (const child of running) child.kill("SIGKILL");
  for (const folder of folders) removeCountTable(folder);
  if (folders.size) Bun.spawnSync(["rm", "-rf", ...folders]);
  running.clear();
  folders.clear();
}

/**
 * The command that starts the gateway: the built executable, another one that SLUICE_E2E_EXECUTABLE names, or the sources
 * with SLUICE_E2E_SOURCE=1 (no build needed, but not what users get). Throws when it was not built.
 */
export function gatewayCommand(): string[] {
  const other = process.env.SLUICE_E2E_EXECUTABLE;
  if (other) return [other];
  if (process.env.SLUICE_E2E_SOURCE === "1") return [process.execPath, path.join(ROOT, "src/main.ts")];
  const executable = path.join(ROOT, "dist/sluice");
  if (!existsSync(executable)) throw new Error("dist/sluice is not there: run `bun run build` first");
  return [executable];
}

/**
 * Starts a gateway on a free loopback port and waits until /readyz says yes. Upstreams on this machine are allowed and
 * the limits on management calls are off, unless `env` says otherwise. Throws, with its output, when it does not get ready.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const port = options.env?.PORT ?? (await freePort());
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "sluice-data-")));
  if (!options.dataDir) {
    folders.add(dataDir);
    const isServer = options.env?.DATABASE_URL !== undefined;
    // Another executable may have other tables.
    const isOther = process.env.SLUICE_E2E_EXECUTABLE !== undefined || options.command !== undefined;
    if (!isServer && !isOther && !options.isFirstStart) await prepareTables(dataDir);
  }
  const started = performance.now();
  const child = Bun.spawn([...(options.command ?? gatewayCommand())], {
    cwd: dataDir,
    env: {
      ...(!options.isFirstStart && runtimeSettings(options.env ?? {})),
      ...testEnvironment(),
      ...{ HOST: "127.0.0.1", PORT: String(port), DATA_DIR: dataDir },
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const output = collect(child);
  const url = `http://127.0.0.1:${port}`;
  try {
    await ready(url, child);
  } catch (error) {
    child.kill("SIGKILL");
    await child.exited;
    throw new Error(`the gateway did not start: ${error instanceof Error ? error.message : error}\n${output()}`);
  }
  const startMs = performance.now() - started;
  return { url, pid: child.pid, dataDir, startMs, output, stop: (signal = "SIGTERM") => stop(child, signal) };
}

/** The environment without what would change the gateway's settings behind a test's back. */
export function testEnvironment(): Record<string, string | undefined> {
  const { DATABASE_URL, SQL_DSN, REDIS_URL, REDIS_CONN_STRING, ...rest } = process.env;
  return {
    ...rest,
    WORKERS: "1",
    ALLOW_PRIVATE_UPSTREAMS: "true",
    GLOBAL_API_RATE_LIMIT_ENABLE: "false",
    GLOBAL_WEB_RATE_LIMIT_ENABLE: "false",
    CRITICAL_RATE_LIMIT_ENABLE: "false",
  };
}

function collect(child: Bun.Subprocess<"ignore", "pipe", "pipe">): () => string {
  let text = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) text += decoder.decode(bytes, { stream: true });
  };
  void read(child.stdout);
  void read(child.stderr);
  return () => text;
}

async function ready(url: string, child: Bun.Subprocess): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const reply = await fetch(`${url}/readyz`).catch(() => null);
    if (reply?.ok) return;
    await Bun.sleep(10);
  }
  throw new Error(`it was not ready within ${READY_TIMEOUT_MS / 1000} s`);
}

async function stop(child: Bun.Subprocess, signal: NodeJS.Signals): Promise<number> {
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  const code = await child.exited;
  clearTimeout(timer);
  running.delete(child);
  return code;
}
