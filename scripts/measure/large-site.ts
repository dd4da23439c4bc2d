/**
 * What a large site takes: start and memory of several workers, the memory of a file of many log rows, backup and restore.
 * Lists, and calls meanwhile: bench-lists.ts.
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
import { login, ROOT_NAME, ROOT_PASSWORD } from "../../test/support/e2e/console-client.ts";
import { until } from "../../test/support/lib/until.ts";
import { gatewayCommand, startGateway } from "../../test/support/processes/gateway.ts";
import { becomesQuiet, familyOf, proportionalMib } from "../bench/process-stats.ts";
import { table } from "../bench/report/report.ts";

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

const LIMITS = { readyMs: 5000, idleMib: 350, fileMib: 100, backupS: 120, restoreS: 300 };
const DAY_S = 86_400;
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
  await until(() => gateway.output().split("sluice is ready").length > Number(flags.workers));
  report("all workers ready", performance.now() - began, "ms", LIMITS.readyMs);
  const pids = familyOf(gateway.pid);
  for (const pid of pids) await becomesQuiet(pid, IDLE_AFTER_MS);
  report("quiet", performance.now() - began, "ms");
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
