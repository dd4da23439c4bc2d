import { open, rm, statfs } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { requireRow } from "../../../../../db/require-row.ts";
import { reasonOf } from "../../../../lib/reason.ts";
import { channelTypes } from "../../../../providers/registry.ts";
import { CHANNEL_STATUS } from "../../../channels/entry.ts";
import {
  type DiagnosticsContext,
  type Finding,
  fine,
  type Overhead,
  type RelayBenchmark,
  skipped,
  trouble,
} from "../diagnostics-context.ts";

const TURNS = 20;
const TURN_MS = 5;
const LATE_MS = 50;
/** The gateway's own share of a call that an operator need not think about. */
const SLOW_OVERHEAD_MS = 20;

/** Slower than this, a core has hardly anything left for the gateway. */
const FEW_CALLS_A_SECOND = 50;

/** How busy this machine is, how late the process gets its turns, and what the gateway adds to calls: now, and to recent ones. */
export async function checkMachine({
  running,
  benchmark,
}: Pick<DiagnosticsContext, "running" | "benchmark">): Promise<Finding[]> {
  const findings = [
    judgeLoad(loadavg()[0] ?? 0, availableParallelism()),
    judgeLateness(await latestTurn()),
    judgeBenchmark(await benchmark()),
  ];
  findings.push(running ? judgeOverhead(running.readOverhead()) : skipped("doctor_overhead_not_running"));
  return findings;
}

/** Whether the load average (of a minute) is more than the cores can do. */
export function judgeLoad(load: number, cores: number): Finding {
  const message = ["doctor_machine_load", { load: load.toFixed(2), cores }] as const;
  return load > cores * 1.5 ? trouble("warn", message, ["doctor_fix_machine"]) : fine(...message);
}

/** Whether timers run late; milliseconds. */
export function judgeLateness(ms: number): Finding {
  const message = ["doctor_machine_late", { ms: ms.toFixed(1) }] as const;
  return ms > LATE_MS ? trouble("warn", message, ["doctor_fix_machine"]) : fine(...message);
}

/** Whether the gateway adds too much time to calls; null: there were none. */
export function judgeOverhead(overhead: Overhead): Finding {
  if (!overhead) return skipped("doctor_overhead_no_calls");
  const { calls, p50Ms, p99Ms } = overhead;
  const message = ["doctor_overhead", { calls, p50: p50Ms.toFixed(2), p99: p99Ms.toFixed(2) }] as const;
  return p50Ms > SLOW_OVERHEAD_MS ? trouble("warn", message, ["doctor_fix_machine"]) : fine(...message);
}

/** Whether this machine relays as fast as it should. */
export function judgeBenchmark({ calls, p50Ms, p99Ms, perSecond }: RelayBenchmark): Finding {
  const figures = { calls, p50: p50Ms.toFixed(2), p99: p99Ms.toFixed(2), perSecond };
  const message = ["doctor_benchmark", figures] as const;
  return p50Ms > SLOW_OVERHEAD_MS || perSecond < FEW_CALLS_A_SECOND
    ? trouble("warn", message, ["doctor_fix_machine"])
    : fine(...message);
}

/** How much later than asked for a timer came, at worst. */
async function latestTurn(): Promise<number> {
  let worst = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const start = performance.now();
    await Bun.sleep(TURN_MS);
    worst = Math.max(worst, performance.now() - start - TURN_MS);
  }
  return worst;
}

const GIB = 1024 ** 3;
const LITTLE_BYTES = 2 * GIB;
const TOO_LITTLE_BYTES = GIB / 4;
const SLOW_SYNC_MS = 50;
const SYNCS = 5;

/** Whether the data directory has room, takes writes, and how long one takes to be on the disk. */
export async function checkDisk({ config: { dataDir } }: { config: { dataDir: string } }): Promise<Finding[]> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    return [judgeSpace(bavail * bsize, dataDir), judgeSync(await timeSync(dataDir))];
  } catch (error) {
    return [
      trouble("fail", ["doctor_disk_refuses", { dataDir, reason: reasonOf(error) }], ["doctor_fix_disk_refuses"]),
    ];
  }
}

/** Whether a data directory has enough free bytes. */
export function judgeSpace(freeBytes: number, dataDir: string): Finding {
  const message = ["doctor_disk_free", { gib: (freeBytes / GIB).toFixed(1), dataDir }] as const;
  if (freeBytes >= LITTLE_BYTES) return fine(...message);
  return trouble(freeBytes < TOO_LITTLE_BYTES ? "fail" : "warn", message, ["doctor_fix_disk_free"]);
}

/** Whether the disk writes through fast enough; the time of one flush in milliseconds. */
export function judgeSync(ms: number): Finding {
  const message = ["doctor_disk_sync", { ms: ms.toFixed(1) }] as const;
  return ms > SLOW_SYNC_MS ? trouble("warn", message, ["doctor_fix_disk_sync"]) : fine(...message);
}

/** The median time of a small write that is on the disk when it returns. */
async function timeSync(dataDir: string): Promise<number> {
  const path = join(dataDir, `.doctor-${Bun.randomUUIDv7()}`);
  const file = await open(path, "wx", 0o600);
  try {
    const times: number[] = [];
    for (let round = 0; round < SYNCS; round += 1) {
      const start = performance.now();
      await file.write("a line of the journal\n");
      await file.datasync();
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0;
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** One-time codes allow 30 s; signed requests of some clouds 5 min. */
const MUCH_MS = 30_000;
const SOME_MS = 3000;
const UPSTREAM_TIMEOUT_MS = 5000;

/** How far this machine's clock is from the database's, and from that of an upstream. */
export async function checkClock(
  context: Pick<DiagnosticsContext, "database" | "channels" | "fetch">,
): Promise<Finding[]> {
  return [await againstDatabase(context), await againstUpstream(context)];
}

/** `skewMs`: the other clock minus this one; `doubtMs`: how exactly it is known. */
export function judgeSkew(
  code: "doctor_clock_database" | "doctor_clock_upstream",
  skewMs: number,
  doubtMs: number,
  host = "",
): Finding {
  const sure = Math.max(0, Math.abs(skewMs) - doubtMs);
  const message = [code, { seconds: (Math.round(skewMs / 100) / 10 + 0).toFixed(1), host }] as const;
  if (sure < SOME_MS) return fine(...message);
  return trouble(sure < MUCH_MS ? "warn" : "fail", message, ["doctor_fix_clock"]);
}

async function againstDatabase({ database }: Pick<DiagnosticsContext, "database">): Promise<Finding> {
  const before = Date.now();
  const row = requireRow(
    await database.sql<{ now: string }[]>`select (extract(epoch from clock_timestamp()) * 1000)::text as now`,
  );
  const after = Date.now();
  return judgeSkew("doctor_clock_database", Number(row.now) - (before + after) / 2, (after - before) / 2);
}

/** Any answer has a date, a refusal too: no key is sent. */
async function againstUpstream({
  channels,
  fetch: ask,
}: Pick<DiagnosticsContext, "channels" | "fetch">): Promise<Finding> {
  for (const channel of channels.all()) {
    const address = channel.baseUrl || channelTypes.find(({ id }) => id === channel.type)?.defaultBaseUrl;
    if (channel.status !== CHANNEL_STATUS.enabled || !address) continue;
    const before = Date.now();
    const answer = await ask(address, { method: "HEAD", timeoutMs: UPSTREAM_TIMEOUT_MS, maxRedirects: 0 }).catch(
      () => null,
    );
    const date = Date.parse(answer?.headers.get("date") ?? "");
    const after = Date.now();
    const host = URL.parse(address)?.host ?? "";
    if (Number.isNaN(date)) return skipped("doctor_clock_upstream_silent", { host });
    // The header is cut to whole seconds.
    return judgeSkew("doctor_clock_upstream", date + 500 - (before + after) / 2, (after - before) / 2 + 500, host);
  }
  return skipped("doctor_clock_no_upstream");
}
