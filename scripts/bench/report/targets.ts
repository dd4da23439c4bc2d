/** A promise of the project, and whether this run kept it. */
export type Verdict = Readonly<{ what: string; limit: string; measured: string; passed: boolean }>;

export type Figures = Readonly<{
  engine: "embedded" | "postgres";
  /** CPU per request over that of the floor, medians. */
  jsonCostRatio: number;
  burstCostRatio: number;
  /** A translated stream over the floor's own, which translates nothing. */
  anthropicCostRatio: number;
  geminiCostRatio: number;
  /** Memory with thousands of slow streams open. */
  manyStreamsMib: number;
  /** What memory at rest grew by over many calls. */
  grownMib: number;
  /** Calls without a stream that one core of the gateway carries in a second. */
  requestsPerCore: number;
  /** Milliseconds that the gateway adds to the upstream's own, medians of rounds. */
  aloneAddedP99Ms: number;
  rateAddedP50Ms: number;
  rateAddedP99Ms: number;
  /** Proportional: what it shares counts in part. */
  idleMib: number;
  firstStartMs: number;
  laterStartMs: number;
}>;

const LIMITS = {
  embedded: { jsonCostRatio: 2.8, burstCostRatio: 1.5, idleMib: 150 },
  postgres: { jsonCostRatio: 2.1, burstCostRatio: 1.3, idleMib: 60 },
} as const;

/** Holds the figures of one gateway against the targets. */
export function judge(figures: Figures): Verdict[] {
  const own = LIMITS[figures.engine];
  const atMost = (what: string, value: number, limit: number, unit: string, digits = 2): Verdict => ({
    what,
    limit: `≤ ${limit} ${unit}`.trim(),
    measured: `${value.toFixed(digits)} ${unit}`.trim(),
    passed: value <= limit,
  });
  return [
    atMost("CPU of a non-streamed call, times the floor's", figures.jsonCostRatio, own.jsonCostRatio, ""),
    atMost("CPU of a stream of 100 chunks, times the floor's", figures.burstCostRatio, own.burstCostRatio, ""),
    atMost("CPU of a stream from Anthropic's format, times the floor's", figures.anthropicCostRatio, 3, ""),
    atMost("CPU of a stream from Gemini's format, times the floor's", figures.geminiCostRatio, 3, ""),
    atMost("memory with 2,000 slow translated streams", figures.manyStreamsMib, 400, "MiB", 0),
    atMost("memory grown over 200,000 calls", figures.grownMib, 16, "MiB", 0),
    {
      what: "calls a second and core",
      limit: "≥ 5000",
      measured: figures.requestsPerCore.toFixed(0),
      passed: figures.requestsPerCore >= 5000,
    },
    atMost("added latency, one connection, p99", figures.aloneAddedP99Ms, 1, "ms"),
    atMost("added latency, 500 calls/s, p50", figures.rateAddedP50Ms, 0.5, "ms"),
    atMost("added latency, 500 calls/s, p99", figures.rateAddedP99Ms, 1, "ms"),
    atMost("memory when idle (PSS)", figures.idleMib, own.idleMib, "MiB", 0),
    atMost("first start", figures.firstStartMs, 700, "ms", 0),
    atMost("later start", figures.laterStartMs, 300, "ms", 0),
  ];
}
