import { availableParallelism, loadavg } from "node:os";
import { type Finding, fine, skipped, trouble } from "../check-result.ts";
import type { DiagnosticsContext, Overhead, RelayBenchmark } from "../diagnostics-context.ts";

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
