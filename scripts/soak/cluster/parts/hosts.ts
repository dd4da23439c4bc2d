import { readdirSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import path from "node:path";
import { removeCountTable } from "../../../../src/lib/limits/count-table.ts";
import { openTcpGate } from "../../../../test/support/lib/tcp-gate.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { testEnvironment } from "../../../../test/support/processes/gateway.ts";
import type { Part, Processes } from "./processes.ts";

const WORKERS_A_HOST = 2;
const READY_LIMIT_MS = 90_000;

type Parts = Readonly<{
  name: string;
  port: number;
  executable: string;
  postgresPorts: readonly number[];
  pgbouncerPort: number;
  password: string;
  redisUrl: string;
}>;

export type Host = Awaited<ReturnType<typeof startHost>>;

/** A machine with one gateway: `sluice serve` with two workers, a folder of its own, and a network that can be cut. */
export async function startHost(processes: Processes, parts: Parts) {
  const folder = await processes.makeFolder(parts.name);
  const executable = path.join(folder, "sluice");
  await cp(parts.executable, executable);
  const target = (port: number) => openTcpGate({ hostname: "127.0.0.1", port });
  const pooled = await target(parts.pgbouncerPort);
  const direct = await Promise.all(parts.postgresPorts.map(target));
  const gates = [pooled, ...direct];
  const login = `postgres://sluice:${parts.password}@`;
  const several = direct.map(({ port }) => `127.0.0.1:${port}`).join(",");
  const url = `http://127.0.0.1:${parts.port}`;
  const env = {
    ...definedOf(testEnvironment()),
    ...{ HOST: "127.0.0.1", PORT: String(parts.port), WORKERS: String(WORKERS_A_HOST) },
    DATA_DIR: path.join(folder, "data"),
    DATABASE_URL: `${login}127.0.0.1:${pooled.port}/sluice?prepare=false`,
    DATABASE_DIRECT_URL: `${login}${several}/sluice`,
    DATABASE_REPLICA_URL: `${login}${several}/sluice?target_session_attrs=prefer-standby`,
    REDIS_URL: parts.redisUrl,
    ...{ ENCRYPTION_KEY: "k".repeat(43), SESSION_SECRET: "s".repeat(43), LOG_LEVEL: "info" },
    ...{ SHUTDOWN_DELAY: "5", SHUTDOWN_TIMEOUT: "30", TRUSTED_PROXIES: "127.0.0.1" },
  };
  let part: Part;
  const start = async (extra: Readonly<Record<string, string>> = {}) => {
    part = processes.start(parts.name, [executable], { cwd: folder, env: { ...env, ...extra } });
    await untilReady(url);
  };
  await start();
  return {
    name: parts.name,
    url,
    /** Drains the gateway as systemd or Kubernetes does. */
    drain: () => part.kill("SIGTERM"),
    start,
    /**
     * Puts another executable in the place of the running one, and replaces the workers one by one. False when the running
     * supervisor can't: workers of the other version speak another protocol.
     */
    async replaceExecutable(next: string): Promise<boolean> {
      await install(executable, next);
      const answer = await fetch("http://localhost/reload", {
        method: "POST",
        unix: path.join(env.DATA_DIR, "run/supervisor.sock"),
      });
      return answer.ok;
    },
    /** Only puts another executable in place, for the next start. */
    install: (next: string) => install(executable, next),
    /** Cuts the host off the database: packets are neither delivered nor refused. */
    cutOff: () => {
      for (const gate of gates) gate.freeze();
    },
    reconnect: () => {
      for (const gate of gates) gate.thaw();
    },
    /** Kills all its processes and destroys its disk. */
    async lose(): Promise<void> {
      const pids = await workerPids(env.DATA_DIR);
      await part.kill("SIGKILL");
      for (const pid of pids) killNow(pid);
      removeCountTable(env.DATA_DIR);
      await rm(env.DATA_DIR, { recursive: true, force: true });
    },
  };
}

/** In one step: a program that runs keeps its file. */
async function install(executable: string, next: string): Promise<void> {
  await cp(next, `${executable}.new`);
  await rename(`${executable}.new`, executable);
}

const workerPids = async (dataDir: string): Promise<number[]> => {
  const answer = await fetch("http://localhost/status", { unix: path.join(dataDir, "run/supervisor.sock") });
  const { workers } = (await answer.json()) as { workers: readonly { pid: number; state: string }[] };
  return workers.filter(({ state }) => state === "ready").map(({ pid }) => pid);
};

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended with its supervisor.
  }
}

async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_LIMIT_MS;
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) {
    if (performance.now() > deadline) throw new Error(`${url} is not ready`);
    await Bun.sleep(50);
  }
}

/** Sum of a metric over hosts, in workers that answer. */
export async function sumMetric(hosts: readonly Pick<Host, "url">[], metric: string): Promise<number> {
  const texts = await Promise.all(hosts.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const lines = texts.flatMap((text) => [...text.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))]);
  return lines.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Resolves when all charges of these hosts are in the database. */
export const untilWritten = (hosts: readonly Host[]): Promise<number> =>
  until(
    () => sumMetric(hosts, "sluice_journal_pending_records").catch(() => -1),
    (pending) => pending === 0,
  );

const definedOf = (env: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The library that shifts a process's clock. Throws where it is not installed. */
export function faketimeLibrary(): string {
  for (const triplet of readdirSync("/usr/lib").filter((name) => name.endsWith("-linux-gnu"))) {
    const file = `/usr/lib/${triplet}/faketime/libfaketime.so.1`;
    if (readdirSync(`/usr/lib/${triplet}`).includes("faketime")) return file;
  }
  throw new Error("libfaketime is not installed");
}
