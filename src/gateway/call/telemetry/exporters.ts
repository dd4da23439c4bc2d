import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Config } from "../../../server/config.ts";

/** Where spans and metrics are sent. `endpoint`: base URL without a trailing slash. */
type OtlpTarget = Pick<Config["telemetry"], "protocol" | "headers"> & Readonly<{ endpoint: string }>;

type Exporters = Readonly<{ spans: SpanExporter; metrics: PushMetricExporter }>;

/**
 * The exporters of a protocol, loaded only when they are needed. With HTTP, spans go to `/v1/traces` below the endpoint and
 * metrics to `/v1/metrics` (https://opentelemetry.io/docs/specs/otel/protocol/exporter/).
 */
export async function loadExporters({ endpoint, protocol, headers }: OtlpTarget): Promise<Exporters> {
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
