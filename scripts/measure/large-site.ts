/**
 * What a large site takes: start and memory of several workers, lists and calls while they still read users and keys, the memory of
 * a file of many log rows, backup and restore. Lists, and calls meanwhile, later: bench-lists.ts.
 *   --database-url=URL --data-dir=PATH   a database that was seeded (scripts/seed/run-seed.ts) under that data directory
 *   --workers=N                          default 2
 *   --days=N                             a file of the log of so many days (default 31; 0: none)
 *   --backup                             also back up, and restore into an empty database of the same server
 * Exit code 1 when a target is missed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  setOption,
} from "../../test/support/e2e/console-client.ts";
import { until } from "../../test/support/lib/until.ts";
import { gatewayCommand, startGateway } from "../../test/support/processes/gateway.ts";
import { MODELS, WORKLOADS } from "../bench/load/workloads.ts";
import { measureAtRate } from "../bench/measure.ts";
import { becomesQuiet, familyOf, proportionalMib } from "../bench/process-stats.ts";
import { table } from "../bench/report/report.ts";
import { percentile } from "../bench/report/statistics.ts";
import { startScript } from "../bench/subjects.ts";

const { values: flags } = parseArgs({
  options: {
    "database-url": { type: "string" },
    "data-dir": { type: "string" },
    workers: { type: "string", default: "2" },
    days: { type: "string", default: "31" },
    backup: { type: "boolean", default: false },
  },
});
const databaseUrl = flags["database-url"];
const dataDir = flags["data-dir"];
if (!databaseUrl || !dataDir) throw new Error("which database? --database-url=URL --data-dir=PATH");

const LIMITS = { readyMs: 5000, idleMib: 350, listMs: 100, callMs: 50, fileMib: 100, backupS: 120, restoreS: 300 };
const DAY_S = 86_400;
/** So long after the first worker is ready lists are opened one after another, and so many calls a second are relayed. */
const FIRST = { seconds: 30, perSecond: 100 } as const;
const FIRST_LISTS = [
  "/api/user/?p=1",
  "/api/user/?p=1&keyword=user-4321",
  "/api/log/?p=1",
  "/api/channel/?p=0",
  "/api/token/?p=0",
];
/** How often memory is looked at while a file is read. */
const LOOK_MS = 200;
/** A while after the start, when what it needed, and the first snapshot too, has been given back. */
const IDLE_AFTER_MS = 90_000;

const rows: string[][] = [];
let missed = 0;
function report(what: string, measured: number, unit: string, limit?: number): void {
  const isMissed = limit !== undefined && measured > limit;
  if (isMissed) missed += 1;
  const verdict = limit === undefined ? "" : isMissed ? "**missed**" : "kept";
  rows.push([what, limit === undefined ? "" : `≤ ${limit}`, `${measured.toFixed(0)} ${unit}`, verdict]);
  process.stderr.write(`${what}: ${measured.toFixed(0)} ${unit} ${verdict}\n`);
}

const env = { LOG_LEVEL: "info", LOG_FORMAT: "json", DATABASE_URL: databaseUrl };
const began = performance.now();
const gateway = await startGateway({ dataDir, env: { ...env, WORKERS: flags.workers } });
try {
  report("first worker ready", gateway.startMs, "ms", LIMITS.readyMs);
  let highestMib = 0;
  const look = setInterval(() => {
    highestMib = Math.max(highestMib, proportionalMib(familyOf(gateway.pid)));
  }, LOOK_MS);
  const first = measureFirst();
  await until(() => gateway.output().split("sluice is ready").length > Number(flags.workers));
  report("all workers ready", performance.now() - began, "ms", LIMITS.readyMs);
  await first;
  const pids = familyOf(gateway.pid);
  for (const pid of pids) await becomesQuiet(pid, IDLE_AFTER_MS);
  report("quiet", performance.now() - began, "ms");
  clearInterval(look);
  report("highest proportional memory until then", highestMib, "MiB", LIMITS.idleMib);
  report("proportional memory then", proportionalMib(pids), "MiB");
  await Bun.sleep(IDLE_AFTER_MS);
  const idleMib = proportionalMib(pids);
  report("proportional memory when idle", idleMib, "MiB", LIMITS.idleMib);
  for (const pid of pids) report(`of it process ${pid}`, proportionalMib([pid]), "MiB");
  if (Number(flags.days) > 0) await measureFile(pids, idleMib);
} finally {
  await gateway.stop();
}
if (flags.backup) await measureBackup();
process.stdout.write(`${table(["what", "limit", "measured", ""], rows)}\n`);
process.exit(missed === 0 ? 0 : 1);

async function measureFirst(): Promise<void> {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const upstream = await startScript("upstream", "load/upstream.ts");
  await setOption(root, "ModelRatio", { [MODELS.json]: 1 });
  const channelId = await createChannel(root, upstream.subject.target.url.replace(/\/$/, ""), [MODELS.json], {
    priority: 1000,
  });
  const { key } = await createApiKey(root);
  let isOver = false;
  const calls = measureAtRate({ url: gateway.url, key }, WORKLOADS.json, FIRST).finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  while (!isOver) {
    for (const path of FIRST_LISTS) {
      const start = performance.now();
      await root.get(path);
      times.push(performance.now() - start);
    }
  }
  const { p50Ms, p99Ms, wrong } = await calls;
  if (wrong > 0) throw new Error(`${wrong} answers were wrong`);
  report("lists in the first 30 s, half of them", percentile(times, 0.5), "ms", LIMITS.listMs);
  report("lists in the first 30 s, 99 % of them", percentile(times, 0.99), "ms");
  report("calls meanwhile, half of them", p50Ms, "ms");
  report("calls meanwhile, 99 % of them", p99Ms, "ms", LIMITS.callMs);
  await root.delete(`/api/channel/${channelId}`);
  upstream.stop();
}

async function measureFile(pids: readonly number[], idleMib: number): Promise<void> {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  let peakMib = 0;
  const look = setInterval(() => {
    peakMib = Math.max(peakMib, proportionalMib(pids));
  }, LOOK_MS);
  const start = performance.now();
  const now = Math.floor(Date.now() / 1000);
  const from = now - Number(flags.days) * DAY_S;
  const reply = await root.send("GET", `/api/log/export?start_timestamp=${from}&end_timestamp=${now}`);
  if (reply.status !== 200 || !reply.body) throw new Error(`no file: ${reply.status} ${await reply.text()}`);
  let lines = 0;
  for await (const chunk of reply.body) for (const byte of chunk) if (byte === 10) lines += 1;
  clearInterval(look);
  report("rows in a file of the log", lines - 1, "rows");
  report("time of the file", (performance.now() - start) / 1000, "s");
  report("memory more while it is read", peakMib - idleMib, "MiB", LIMITS.fileMib);
}

/** Runs a command of the program; how long it took, in seconds. */
async function run(args: readonly string[], url: string): Promise<number> {
  const start = performance.now();
  const child = Bun.spawn([...gatewayCommand(), ...args], {
    env: { ...process.env, ...env, DATABASE_URL: url, DATA_DIR: dataDir },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await child.exited) !== 0) throw new Error(`sluice ${args.join(" ")} failed`);
  return (performance.now() - start) / 1000;
}

async function measureBackup(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-size-"));
  const file = path.join(folder, "site.backup");
  const name = `restored_${Bun.randomUUIDv7().replaceAll("-", "")}`;
  const sql = postgres(databaseUrl ?? "", { max: 1, onnotice() {} });
  try {
    report("backup", await run(["backup", file], databaseUrl ?? ""), "s", LIMITS.backupS);
    await sql.unsafe(`create database ${name}`);
    const url = Object.assign(new URL(databaseUrl ?? ""), { pathname: `/${name}` }).href;
    report("restore", await run(["restore", file], url), "s", LIMITS.restoreS);
  } finally {
    await sql.unsafe(`drop database if exists ${name}`);
    await sql.end();
    await rm(folder, { recursive: true });
  }
}
