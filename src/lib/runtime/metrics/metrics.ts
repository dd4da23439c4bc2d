import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { LabelledCounts } from "./labelled-metrics.ts";

/** The limits that refuse calls, as /metrics names them. */
export const LIMIT_KINDS = [
  "user_requests",
  "user_successes",
  "user_requests_per_minute",
  "user_concurrency",
  "key_requests_per_minute",
  "key_tokens_per_minute",
  "plan_requests_per_minute",
  "plan_tokens_per_minute",
  "limit_rule",
  "user_quota",
  "key_quota",
  "budget",
  "body_memory",
  "overload",
  "console_api",
  "console_critical",
  "console_pages",
] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** Counts a call that a limit refused. */
export type CountRefusal = (limit: LimitKind) => void;

const LAG_SAMPLE_MS = 100;
/** The longest interval of a timer: prom-client's own lag sampling, which is not exported, wakes the process every 10 ms. */
const NEVER_MS = 2 ** 31 - 1;
const LAG_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The registry behind /metrics, with the process's own figures (memory, CPU, files, event loop) already in it. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  // Those of Node's engine have no meaning in this runtime.
  for (const { name } of registry.getMetricsAsArray()) {
    if (name.startsWith("nodejs_") || name === "process_heap_bytes") registry.removeSingleMetric(name);
  }
  measureLag(registry);
  return registry;
}

/** How late the event loop comes to what is due: everything that a call waits for waits so long, too. */
function measureLag(registry: Registry): void {
  const lag = new Histogram({
    name: "sluice_event_loop_lag_seconds",
    help: "Delay of the event loop, sampled ten times a second",
    buckets: LAG_SECONDS,
    registers: [registry],
  });
  let due = performance.now() + LAG_SAMPLE_MS;
  const sample = () => {
    const now = performance.now();
    lag.observe(Math.max(0, now - due) / 1000);
    due = now + LAG_SAMPLE_MS;
  };
  setInterval(sample, LAG_SAMPLE_MS).unref();
}

/** Counts refusals by limit. Every limit is there from the start, so that the first refusal shows as an increase. */
export function createRefusalCount(registry: Registry): CountRefusal {
  const counts = new LabelledCounts(registry, "sluice_limit_refusals_total", "Calls refused by a limit", ["limit"]);
  for (const kind of LIMIT_KINDS) counts.add(kind, 0);
  return (kind) => counts.add(kind);
}
