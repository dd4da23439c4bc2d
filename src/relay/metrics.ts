import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { UsageRecord } from "../billing/types.ts";
import type { Call } from "./call.ts";

export type RelayMetrics = {
  /** A call is over. */
  finished(call: Call, record: UsageRecord): void;
  /** A request was refused before it became a call. */
  refused(status: number): void;
  upstreamFailed(channelId: number, status: number): void;
};

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The relay's figures in Prometheus' form. Labels are few and bounded: never models, users or keys. */
export function createRelayMetrics(registry: Registry, openStreams: () => number): RelayMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "sluice_relay_requests_total",
    help: "Relayed calls by endpoint and class of the status answered",
    labelNames: ["endpoint", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "sluice_relay_duration_seconds",
    help: "Time from arrival to the last byte",
    labelNames: ["endpoint"],
    buckets: SECONDS,
    registers,
  });
  const firstByte = new Histogram({
    name: "sluice_relay_first_byte_seconds",
    help: "Time from arrival to the first byte of a stream",
    buckets: SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: "sluice_relay_tokens_total",
    help: "Billed tokens",
    labelNames: ["kind"],
    registers,
  });
  const quota = new Counter({ name: "sluice_relay_quota_units_total", help: "Charged quota units", registers });
  const failures = new Counter({
    name: "sluice_upstream_failures_total",
    help: "Failed attempts by channel and status (0: no answer)",
    labelNames: ["channel", "status"],
    registers,
  });
  new Gauge({
    name: "sluice_relay_open_streams",
    help: "Streams that are open now",
    registers,
    collect() {
      this.set(openStreams());
    },
  });
  const promptTokens = tokens.labels("prompt");
  const completionTokens = tokens.labels("completion");

  return {
    finished(call, record) {
      const { capability } = call.admitted.endpoint;
      requests.labels(capability, statusClass(record.other.status ?? 200)).inc();
      duration.labels(capability).observe(record.elapsedMs / 1000);
      if (call.firstByteMs !== null) firstByte.observe(call.firstByteMs / 1000);
      if (record.promptTokens > 0) promptTokens.inc(record.promptTokens);
      if (record.completionTokens > 0) completionTokens.inc(record.completionTokens);
      if (record.quota > 0) quota.inc(record.quota);
    },
    refused: (status) => requests.labels("refused", statusClass(status)).inc(),
    upstreamFailed: (channelId, status) => failures.labels(String(channelId), String(status)).inc(),
  };
}

const CLASSES = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;
const statusClass = (status: number): string => CLASSES[Math.floor(status / 100)] ?? "5xx";
