/**
 * Compares the CPU of a call between executables, in one run: each serves a short phase of load in turn, with the minimal
 * proxy of the benchmark between them and the order turned around every round, so that a busy host troubles all alike. Prints
 * the medians, and the median of each round's ratio to the first executable. Name one twice to see how much chance there is.
 *   bun scripts/measure/compare-builds.ts [--rounds=N] [--engine=NAME] [--workloads=LIST] NAME=PATH …
 *   --rounds=N           interleaved rounds (default 12)
 *   --engine=NAME        postgres (default: a temporary server for each) or embedded
 *   --workloads=LIST     of scripts/bench/load/workloads.ts (default json,burst)
 */
import { parseArgs } from "node:util";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { closedLoop } from "../bench/load/load.ts";
import { WORKLOADS } from "../bench/load/workloads.ts";
import { measureCost, type Subject } from "../bench/measure.ts";
import { median } from "../bench/report/statistics.ts";
import { startScript, startSluice } from "../bench/subjects.ts";

const CONNECTIONS = 32;
const PHASE_SECONDS = 0.7;
/** For so many calls the runtime still compiles what it found to be busy. */
const WARM_UP_CALLS = 20_000;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "12" },
    engine: { type: "string", default: "postgres" },
    workloads: { type: "string", default: "json,burst" },
  },
});
const names = flags.workloads.split(",");
const workloads = Object.entries(WORKLOADS).flatMap(([name, workload]) => (names.includes(name) ? [workload] : []));

const ends: (() => unknown)[] = [];
try {
  const upstream = await startScript("upstream", "load/upstream.ts");
  ends.push(upstream.stop);
  const floor = await startScript("minimal proxy", "load/floor.ts", upstream.subject.target.url);
  ends.push(floor.stop);
  const subjects = [floor.subject];
  for (const build of positionals) subjects.push(await startBuild(build, upstream.subject));
  for (const workload of workloads) await compare(subjects, workload);
} finally {
  for (const end of ends.reverse()) await end();
}
process.exit(0);

/** Starts one executable, given as NAME=PATH, on a database of its own. */
async function startBuild(build: string, upstream: Subject): Promise<Subject> {
  const [name = "", path = ""] = build.split("=", 2);
  process.env.SLUICE_E2E_EXECUTABLE = path;
  const env: Record<string, string> = {};
  if (flags.engine === "postgres") {
    const server = await startTemporaryPostgres({ durable: true });
    ends.push(server.stop);
    env.DATABASE_URL = server.url;
  }
  const { subject, gateway } = await startSluice(name, upstream.target, env);
  ends.push(() => gateway.stop());
  return subject;
}

/** Measures a workload on all subjects, round by round, and prints their medians. */
async function compare(subjects: readonly Subject[], workload: (typeof workloads)[number]): Promise<void> {
  const costs = subjects.map((subject) => ({ subject, cpuUs: [] as number[], wrong: 0 }));
  const warmUp = { connections: CONNECTIONS, seconds: 60, maxRequests: WARM_UP_CALLS };
  for (const { target } of subjects) await closedLoop(target, workload, warmUp);
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const cost of round % 2 === 0 ? costs : costs.toReversed()) {
      const phase = { connections: CONNECTIONS, seconds: PHASE_SECONDS };
      const { cpuUsPerRequest, wrong } = await measureCost(cost.subject, workload, phase);
      cost.cpuUs.push(cpuUsPerRequest);
      cost.wrong += wrong;
    }
  }
  const [floor, first] = costs.map(({ cpuUs }) => cpuUs);
  process.stdout.write(`${workload.name}\n`);
  for (const { subject, cpuUs, wrong } of costs) {
    const ratioTo = (others: readonly number[] = []) => median(cpuUs.map((us, round) => us / (others[round] ?? us)));
    const columns = [
      subject.name.padEnd(20),
      `${median(cpuUs).toFixed(1)} µs/call`,
      `least ${Math.min(...cpuUs).toFixed(1)}`,
      `${ratioTo(floor).toFixed(2)} × proxy`,
      `${ratioTo(first).toFixed(3)} × the first build`,
      ...(wrong > 0 ? [`${wrong} wrong answers`] : []),
    ];
    process.stdout.write(`  ${columns.join("  ")}\n`);
  }
}
