import { Gauge, type Registry } from "prom-client";
import type { UsageRecord } from "../../../billing/types.ts";
import type { Verdict } from "../../../domain/models/guardrails/inspect.ts";
import type { ByteBudget } from "../../../lib/limits/byte-budget.ts";
import { LabelledCounts, LabelledTimes } from "../../../lib/runtime/metrics/labelled-metrics.ts";
import type { Call } from "../call.ts";
export type GatewayMetrics = {
  /** Counts a finished call. */
  ended(call: Call, record: UsageRecord): void;
  /** Counts a request that was rejected before it became a call. */
  /** Counts a verdict about a call that has ended. */
  foundLate(verdict: Verdict): void;
  refused(status: number): void;
  upstreamFailed(channelId: number, status: number): void;
  /** A stream is open to a client; each ends once. */
  streamBegan(): void;
  streamEnded(): void;
  /** The gateway's overhead in recent calls; null without any. */
  overhead(): RecentOverhead | null;
};

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The gateway's Prometheus metrics. Labels are few and bounded: never models, users or keys. */
export function createGatewayMetrics(registry: Registry, bodies: Pick<ByteBudget, "usedBytes">): GatewayMetrics {
  let openStreams = 0;
  const requests = new LabelledCounts(
    registry,
    "sluice_relay_requests_total",
    "Relayed calls by endpoint and class of the status answered",
    ["endpoint", "status"],
  );
  const tokens = new LabelledCounts(registry, "sluice_relay_tokens_total", "Billed tokens", ["kind"]);
  const quota = new LabelledCounts(registry, "sluice_relay_quota_units_total", "Charged quota units", ["endpoint"]);
  const failures = new LabelledCounts(
    registry,
    "sluice_upstream_failures_total",
    "Failed attempts by channel and status (0: no answer)",
    ["channel", "status"],
  );
  const verdicts = new LabelledCounts(
    registry,
    "sluice_guardrail_verdicts_total",
    "What guardrails found, by when and what they did (shadow: nothing)",
    ["phase", "action"],
  );
  const duration = new LabelledTimes(
    registry,
    "sluice_relay_duration_seconds",
    "Time from arrival to the last byte",
    "endpoint",
    SECONDS,
  );
  const firstByte = new LabelledTimes(
    registry,
    "sluice_relay_first_byte_seconds",
    "Time from arrival to the first byte of a stream",
    "endpoint",
    SECONDS,
  );
  new Gauge({
    name: "sluice_relay_open_streams",
    help: "Streams that are open now",
    registers: [registry],
    collect() {
      this.set(openStreams);
    },
  });

  new Gauge({
    name: "sluice_relay_body_memory_bytes",
    help: "Memory that is reserved for the bodies of requests",
    registers: [registry],
    collect() {
      this.set(bodies.usedBytes);
    },
  });

  const overheads = new RecentOverheads();
  return {
    overhead: () => overheads.read(),
    ended({ endpoint, progress: { timing, guard } }, record) {
      if (timing.overheadMs !== null) overheads.add(timing.overheadMs);
      const { capability } = endpoint;
      requests.add(outcomeOf(capability, record.other.status ?? 200));
      duration.add(capability, record.elapsedMs / 1000);
      if (timing.firstByteMs !== null) firstByte.add(capability, timing.firstByteMs / 1000);
      if (record.promptTokens > 0) tokens.add("prompt", record.promptTokens);
      if (record.completionTokens > 0) tokens.add("completion", record.completionTokens);
      if (record.quota > 0) quota.add(capability, record.quota);
      for (const { phase, action, shadow } of guard?.verdicts ?? NONE)
        verdicts.add(`${phase} ${shadow ? "shadow" : action}`);
    },
    foundLate: ({ phase, action, shadow }) => verdicts.add(`${phase} ${shadow ? "shadow" : action}`),
    refused: (status) => requests.add(outcomeOf("refused", status)),
    streamBegan() {
      openStreams += 1;
    },
    streamEnded() {
      openStreams -= 1;
    },
    upstreamFailed: (channelId, status) => failures.add(`${channelId} ${status}`),
  };
}

const NONE: readonly never[] = [];

/** The labels of a call by endpoint and class of its status. */
const outcomeOf = (endpoint: string, status: number): string =>
  `${endpoint} ${Math.min(Math.floor(status / 100), 5)}xx`;

/** The gateway's own time before the first byte in recent calls, in milliseconds. */
type RecentOverhead = Readonly<{ calls: number; p50Ms: number; p99Ms: number }>;

const MAX_SAMPLES = 1000;

/** Stores the overhead of the last 1,000 calls; adding one costs one array write. */
export class RecentOverheads {
  readonly #times = new Float64Array(MAX_SAMPLES);
  #added = 0;

  add(ms: number): void {
    this.#times[this.#added % MAX_SAMPLES] = ms;
    this.#added += 1;
  }

  /** Null before the first call. */
  read(): RecentOverhead | null {
    const calls = Math.min(this.#added, MAX_SAMPLES);
    if (calls === 0) return null;
    const sorted = this.#times.slice(0, calls).sort();
    const at = (share: number) => sorted[Math.min(calls - 1, Math.floor(calls * share))] ?? 0;
    return { calls, p50Ms: at(0.5), p99Ms: at(0.99) };
  }
}
