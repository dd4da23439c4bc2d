import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SamplingResult,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { Gauge, type Registry } from "prom-client";
import type { UsageRecord } from "../../../billing/types.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import { type NamePattern, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import type { Config } from "../../../server/config.ts";
import {
  CallTrace,
  operationOf,
  providerNameOf,
  type TracedCall,
  type TracedRoute,
  type Tracing,
} from "./call-trace.ts";
import { RetryingExporter } from "./retrying-exporter.ts";

/** The configuration of an exporting process. */
type TelemetryConfig = Config["telemetry"] & Readonly<{ endpoint: string; version: string; instanceId: string }>;

/** Traces and metrics of calls for an OpenTelemetry collector. */
export type Telemetry = {
  /** Begins the spans of a call. */
  begin(call: TracedCall, timing: Readonly<{ startedAtMs: number }>): CallTrace;
  /** Counts a finished call. */
  count(call: EndedCall, record: UsageRecord, usage: Usage | null): void;
  /** Sends what is pending; resolves even if nothing listens, after at most 5 s. */
  close(): Promise<void>;
};

/** `servedBy` null: no channel was tried. */
type EndedCall = Pick<TracedCall, "endpoint"> & Readonly<{ servedBy: TracedRoute | null }>;

/** What telemetry itself reports to. */
type TelemetryDeps = Readonly<{ log: Logger; metrics: Registry }>;

/** Spans of a second of very many calls: the exporter behind it holds them in an outage. */
const MOST_UNBATCHED = 16_384;
const EXPORT_METRICS_MS = 30_000;
const CLOSE_WITHIN_MS = 5000;
/** Histogram boundaries as the conventions recommend, in seconds and tokens. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/** Starts exporting. Calls never wait for a collector: spans do, as far as there is room for them. */
export async function startTelemetry(
  config: TelemetryConfig,
  { log, metrics: registry }: TelemetryDeps,
): Promise<Telemetry> {
  const exporters = await loadExporters(config);
  const exporter = new RetryingExporter(exporters.spans, log);
  countSpans(registry, exporter);
  const resource = resourceFromAttributes({
    "service.name": config.serviceName,
    "service.version": config.version,
    "service.instance.id": config.instanceId,
    ...config.resource,
  });
  const spans = new TracerProvider({
    resource,
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MOST_UNBATCHED })],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({ exporter: exporters.metrics, exportIntervalMillis: EXPORT_METRICS_MS }),
    ],
  });
  const tracing: Tracing = {
    tracer: spans.getTracer("sluice", config.version),
    propagator: new W3CTraceContextPropagator(),
    capturesContent: config.capturesContent,
  };
  const meter = metrics.getMeter("sluice", config.version);
  const duration = meter.createHistogram("gen_ai.server.request.duration", {
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const operation = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const firstToken = meter.createHistogram("gen_ai.server.time_to_first_token", {
    unit: "s",
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    advice: { explicitBucketBoundaries: TOKENS },
  });

  return {
    begin: (call, { startedAtMs }) => new CallTrace(tracing, call, startedAtMs),
    count({ endpoint, servedBy: route }, record, usage) {
      // Only models and providers that were actually called: names made up by callers would be unbounded.
      const labels = {
        "gen_ai.operation.name": operationOf(endpoint.capability),
        ...(route && {
          "gen_ai.provider.name": providerNameOf(route.provider),
          "gen_ai.request.model": route.upstreamModel,
        }),
      };
      const failure = record.failed ? { "error.type": String(record.other.status ?? "failed") } : {};
      duration.record(record.elapsedMs / 1000, { ...labels, ...failure });
      const last = record.other.admin_info?.attempts.at(-1);
      if (last) operation.record((last.endMs - last.startMs) / 1000, { ...labels, ...failure });
      const firstByteMs = record.other.frt ?? -1;
      if (record.isStream && firstByteMs >= 0) firstToken.record(firstByteMs / 1000, labels);
      if (!usage) return;
      tokens.record(usage.promptTokens, { ...labels, "gen_ai.token.type": "input" });
      tokens.record(usage.completionTokens, { ...labels, "gen_ai.token.type": "output" });
    },
    async close() {
      const ended = Promise.allSettled([spans.shutdown(), metrics.shutdown()]);
      await Promise.race([ended, Bun.sleep(CLOSE_WITHIN_MS)]);
    },
  };
}

/** Tells the site's own metrics how the spans fare. */
function countSpans(registry: Registry, { counts }: RetryingExporter): void {
  new Gauge({
    name: "sluice_telemetry_spans",
    help: "Spans for OpenTelemetry: sent and dropped since the start, waiting now",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
}

type SamplerConfig = Pick<TelemetryConfig, "sampler" | "sampledRatio" | "sampledModels">;

function samplerOf({ sampler, sampledRatio, sampledModels }: SamplerConfig): Sampler {
  const [kind = "", isParentBased] = sampler.startsWith("parentbased_")
    ? [sampler.slice("parentbased_".length), true]
    : [sampler, false];
  const usual =
    kind === "always_off"
      ? new AlwaysOffSampler()
      : kind === "traceidratio"
        ? new TraceIdRatioBasedSampler(sampledRatio)
        : new AlwaysOnSampler();
  if (sampledModels.size === 0) return isParentBased ? new ParentBasedSampler({ root: usual }) : usual;
  const root = new ModelSampler(sampledModels, usual);
  // Attempts follow their call: their model is the channel's name for it.
  const remote = isParentBased ? {} : { remoteParentSampled: root, remoteParentNotSampled: root };
  return new ParentBasedSampler({ root, ...remote });
}

/** Samples calls by their requested model: the first rule that fits decides, else the usual sampler. */
class ModelSampler implements Sampler {
  readonly #rules: readonly (readonly [pattern: NamePattern, sampler: Sampler])[];

  constructor(
    shares: ReadonlyMap<string, number>,
    private readonly usual: Sampler,
  ) {
    this.#rules = [...shares].map(([model, share]) => [namePattern(model), new TraceIdRatioBasedSampler(share)]);
  }

  shouldSample(...call: Parameters<Sampler["shouldSample"]>): SamplingResult {
    const model = String(call[4]["gen_ai.request.model"] ?? "");
    const rule = this.#rules.find(([pattern]) => pattern.test(model));
    return (rule?.[1] ?? this.usual).shouldSample(...call);
  }

  toString(): string {
    return "ModelSampler";
  }
}

/** Where spans and metrics are sent. `endpoint`: base URL without a trailing slash. */
type OtlpTarget = Pick<Config["telemetry"], "protocol" | "headers"> & Readonly<{ endpoint: string }>;

type Exporters = Readonly<{ spans: SpanExporter; metrics: PushMetricExporter }>;

/**
 * The exporters of a protocol, loaded only when they are needed. With HTTP, spans go to `/v1/traces` below the endpoint and
 * metrics to `/v1/metrics` (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
 */
async function loadExporters({ endpoint, protocol, headers }: OtlpTarget): Promise<Exporters> {
  const below = (path: string) => ({ url: `${endpoint}${path}`, headers: { ...headers } });
  if (protocol === "grpc") return loadGrpcExporters({ endpoint, headers });
  if (protocol === "http/json") {
    const [traces, metrics] = await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/exporter-metrics-otlp-http"),
    ]);
    return {
      spans: new traces.OTLPTraceExporter(below("/v1/traces")),
      metrics: new metrics.OTLPMetricExporter(below("/v1/metrics")),
    };
  }
  const [traces, metrics] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/exporter-metrics-otlp-proto"),
  ]);
  return {
    spans: new traces.OTLPTraceExporter(below("/v1/traces")),
    metrics: new metrics.OTLPMetricExporter(below("/v1/metrics")),
  };
}

/**
 * Uses `require`: the exporters' ES modules load @grpc/grpc-js in a way that no bundler follows, so it would be missing
 * in the executable.
 */
function loadGrpcExporters({ endpoint, headers }: Omit<OtlpTarget, "protocol">): Exporters {
  const traces: typeof import("@opentelemetry/exporter-trace-otlp-grpc") = require("@opentelemetry/exporter-trace-otlp-grpc");
  const metrics: typeof import("@opentelemetry/exporter-metrics-otlp-grpc") = require("@opentelemetry/exporter-metrics-otlp-grpc");
  const { Metadata }: typeof import("@grpc/grpc-js") = require("@grpc/grpc-js");
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const options = { url: endpoint, metadata };
  return { spans: new traces.OTLPTraceExporter(options), metrics: new metrics.OTLPMetricExporter(options) };
}
