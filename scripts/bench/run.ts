import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { closedLoop, type Target, type Workload } from "./load/load.ts";
import { WORKLOADS } from "./load/workloads.ts";
import { measureAlone, measureAtRate, measureCost, measureGrowth, type Subject } from "./measure.ts";
import { costRows, gatewayRow, latencyRows, type MeasuredGateway, NAMES } from "./report/conclude.ts";
import { Findings } from "./report/findings.ts";
import { type GatewayRow, provenance, type Report } from "./report/report.ts";
import type { Figures } from "./report/targets.ts";
import { startScript, startSluice } from "./subjects.ts";

export type BenchOptions = Readonly<{
  rounds: number;
  /** Length of a phase of load. */
  seconds: number;
  /** Only to see that it works: a hundredth of the long runs. */
  quick: boolean;
  engines: readonly Figures["engine"][];
  /** A Postgres database to use, empty; null: a temporary server. */
  databaseUrl: string | null;
  say: (line: string) => void;
}>;

const CONNECTIONS = 32;
/** Enough that a stream paced like a person reads costs measurable time. */
const PACED_CONNECTIONS = 128;
const CALLS_ALONE = 1000;
const RATE_PER_SECOND = 500;
/** So that the slowest hundredth are some ten calls. */
const RATE_SECONDS = 2;
/** A phase with a slow upstream is at least so long. */
const PACED_SECONDS = 4;
/** For so many calls the runtime still compiles what it found to be busy: a sixth of all CPU while it lasts. */
const WARM_UP_CALLS = 30_000;
const WARM_UP_SECONDS = 60;
const SLOW_STREAMS = 2000;
const ENDURANCE_CALLS = 200_000;

/** What to undo at the end, last first. */
type Ends = (() => unknown)[];

/** Runs the whole benchmark: floor and gateways in one run, interleaved round by round, medians at the end. */
export async function runBench(options: BenchOptions): Promise<Report> {
  const ends: Ends = [];
  try {
    const upstream = await startScript(NAMES.direct, "load/upstream.ts");
    ends.push(upstream.stop);
    const floor = await startScript(NAMES.floor, "load/floor.ts", upstream.subject.target.url);
    ends.push(floor.stop);
    const gateways = await startGateways(options, upstream.subject.target, ends);
    const findings = new Findings();
    const subjects = [floor.subject, ...gateways.map(({ subject }) => subject)];
    await measure(options, findings, upstream.subject, subjects);
    const costs = costRows(findings);
    const latencies = latencyRows(findings);
    const rows: GatewayRow[] = [];
    for (const gateway of gateways) {
      options.say(`checking the books of ${gateway.subject.name}`);
      await gateway.gateway.stop();
      rows.push(await gatewayRow(gateway, findings, costs, latencies));
    }
    return { provenance: await provenance(options.rounds), costs, latencies, gateways: rows };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startGateways(options: BenchOptions, upstream: Target, ends: Ends): Promise<MeasuredGateway[]> {
  const gateways: MeasuredGateway[] = [];
  for (const engine of options.engines) {
    options.say(`starting sluice, ${engine}`);
    const databaseUrl = engine === "postgres" ? await postgresFor(options, ends) : null;
    const started = await startSluice(`sluice, ${engine}`, upstream, databaseUrl ? { DATABASE_URL: databaseUrl } : {});
    ends.push(() => started.gateway.stop());
    gateways.push({ ...started, engine, databaseUrl });
  }
  return gateways;
}

async function postgresFor({ databaseUrl }: BenchOptions, ends: Ends): Promise<string> {
  if (databaseUrl) return databaseUrl;
  const server = await startTemporaryPostgres({ durable: true });
  ends.push(server.stop);
  return server.url;
}

async function measure(
  options: BenchOptions,
  findings: Findings,
  direct: Subject,
  subjects: readonly Subject[],
): Promise<void> {
  const { rounds, seconds, quick, say } = options;
  const complain = (what: string, subject: Subject, result: { wrong: number; requests: number }) => {
    if (result.wrong) say(`  ${what}, ${subject.name}: ${result.wrong} of ${result.requests} answers were wrong`);
  };
  const cost = async (workload: Workload, subject: Subject, connections: number, lengthS = seconds) => {
    const result = await measureCost(subject, workload, { connections, seconds: lengthS });
    findings.addCost(workload.name, subject.name, result);
    complain(workload.name, subject, result);
  };
  const latency = async (subject: Subject) => {
    const alone = await measureAlone(subject.target, WORKLOADS.json, CALLS_ALONE);
    findings.addLatency(NAMES.alone, subject.name, alone);
    complain(NAMES.alone, subject, alone);
    const atRate = await measureAtRate(subject.target, WORKLOADS.json, {
      perSecond: RATE_PER_SECOND,
      seconds: Math.max(seconds, RATE_SECONDS),
    });
    findings.addLatency(NAMES.atRate, subject.name, atRate);
    complain(NAMES.atRate, subject, atRate);
  };

  const gateways = subjects.slice(1);
  const translated = [WORKLOADS.anthropic, WORKLOADS.gemini];

  say("warming up");
  for (const subject of subjects) {
    const own = subject === subjects[0] ? [] : translated;
    for (const workload of [WORKLOADS.json, WORKLOADS.burst, ...own]) {
      const load = {
        connections: CONNECTIONS,
        seconds: quick ? seconds : WARM_UP_SECONDS,
        maxRequests: WARM_UP_CALLS,
      };
      const { requests } = await closedLoop(subject.target, workload, load);
      findings.countCalls(subject.name, requests);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    say(`round ${round + 1} of ${rounds}`);
    // Each round begins with another one, so that none always comes after the same neighbor.
    const order = subjects.map((_, index) => subjects[(index + round) % subjects.length] as Subject);
    for (const subject of order) await cost(WORKLOADS.json, subject, CONNECTIONS);
    for (const subject of order) await cost(WORKLOADS.burst, subject, CONNECTIONS);
    for (const workload of translated) for (const subject of gateways) await cost(workload, subject, CONNECTIONS);
    for (const subject of [direct, ...order]) await latency(subject);
  }
  say("slow upstreams");
  const lasting = Math.max(seconds, PACED_SECONDS);
  for (const subject of subjects) {
    await cost(WORKLOADS.delayed, subject, CONNECTIONS, lasting);
    await cost(WORKLOADS.paced, subject, PACED_CONNECTIONS, lasting);
  }
  say(`${SLOW_STREAMS} slow streams at the same time`);
  for (const subject of gateways) await cost(WORKLOADS.slow, subject, SLOW_STREAMS, lasting);
  say("endurance");
  for (const subject of gateways) {
    const requests = quick ? ENDURANCE_CALLS / 100 : ENDURANCE_CALLS;
    const growth = await measureGrowth(subject, WORKLOADS.json, { connections: CONNECTIONS, requests });
    findings.addGrowth(subject.name, growth);
    complain("endurance", subject, growth);
  }
}
