import { auditBooks } from "../books.ts";
import { FLOOR_OF, WORKLOADS } from "../load/workloads.ts";
import type { Latency } from "../measure.ts";
import type { GatewaySubject } from "../subjects.ts";
import type { Findings } from "./findings.ts";
import type { CostRow, GatewayRow, LatencyRow } from "./report.ts";
import { median } from "./statistics.ts";
import { type Figures, judge } from "./targets.ts";

/** Names under which measurements are kept. */
export const NAMES = {
  floor: "floor (minimal proxy)",
  direct: "upstream, asked directly",
  alone: "one connection",
  atRate: "500 calls/s",
} as const;

export type MeasuredGateway = GatewaySubject & Readonly<{ engine: Figures["engine"]; databaseUrl: string | null }>;

/**
 * Medians of the rounds. Times the floor is the ratio to the floor of the same round, and of these the median: what a busy
 * host takes from one it takes from the other too, if they come soon after each other.
 */
export function costRows(findings: Findings): CostRow[] {
  return findings.costPairs().map(({ what, subject }) => {
    const rounds = findings.costs(what, subject);
    const figures = rounds.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
    const floor = findings.costs(FLOOR_OF[what] ?? what, NAMES.floor);
    const ratios = figures.map((figure, round) => figure / (floor[round]?.cpuUsPerRequest ?? Number.NaN));
    return {
      workload: what,
      subject,
      cpuUsPerRequest: median(figures),
      timesFloor: median(ratios),
      requestsPerSecond: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
      rounds: figures,
    };
  });
}

/** Added latency is the difference to the upstream asked directly, round by round, and of these the median. */
export function latencyRows(findings: Findings): LatencyRow[] {
  return findings.latencyPairs().map(({ what, subject }) => {
    const rounds = findings.latencies(what, subject);
    const direct = findings.latencies(what, NAMES.direct);
    const middle = (pick: (latency: Latency) => number) => median(rounds.map(pick));
    const added = (pick: (latency: Latency) => number) =>
      median(rounds.map((latency, index) => pick(latency) - pick(direct[index] ?? latency)));
    return {
      load: what,
      subject,
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      addedP50Ms: added(({ p50Ms }) => p50Ms),
      addedP99Ms: added(({ p99Ms }) => p99Ms),
    };
  });
}

/** Holds a gateway against the targets, and checks its books; it must have ended. */
export async function gatewayRow(
  gateway: MeasuredGateway,
  findings: Findings,
  costs: readonly CostRow[],
  latencies: readonly LatencyRow[],
): Promise<GatewayRow> {
  const { name } = gateway.subject;
  const { firstStartMs, laterStartMs, idleMib } = gateway;
  const cost = (workload: string) => costs.find((row) => row.subject === name && row.workload === workload);
  const latency = (load: string) => latencies.find((row) => row.subject === name && row.load === load);
  const verdicts = judge({
    engine: gateway.engine,
    jsonCostRatio: cost(WORKLOADS.json.name)?.timesFloor ?? Number.NaN,
    burstCostRatio: cost(WORKLOADS.burst.name)?.timesFloor ?? Number.NaN,
    anthropicCostRatio: cost(WORKLOADS.anthropic.name)?.timesFloor ?? Number.NaN,
    geminiCostRatio: cost(WORKLOADS.gemini.name)?.timesFloor ?? Number.NaN,
    manyStreamsMib: Math.max(...findings.costs(WORKLOADS.slow.name, name).map(({ peakMib }) => peakMib)),
    grownMib: findings.grownMib(name),
    requestsPerCore: 1_000_000 / (cost(WORKLOADS.json.name)?.cpuUsPerRequest ?? Number.NaN),
    aloneAddedP99Ms: latency(NAMES.alone)?.addedP99Ms ?? Number.NaN,
    rateAddedP50Ms: latency(NAMES.atRate)?.addedP50Ms ?? Number.NaN,
    rateAddedP99Ms: latency(NAMES.atRate)?.addedP99Ms ?? Number.NaN,
    idleMib,
    firstStartMs,
    laterStartMs,
  });
  const books = await auditBooks(
    { databaseUrl: gateway.databaseUrl, dataDir: gateway.gateway.dataDir },
    {
      requests: findings.callsTo(name),
      userId: gateway.root.userId,
      channelIds: gateway.channelIds,
      tokenId: gateway.tokenId,
      quotaBefore: gateway.quotaBefore,
    },
  );
  return { name, firstStartMs, laterStartMs, idleMib, peakMib: findings.peakMib(name), verdicts, books };
}
