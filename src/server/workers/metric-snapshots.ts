import type { Registry } from "prom-client";
import { LabelledTimes } from "../../lib/runtime/metrics/labelled-metrics.ts";

type Sample = Readonly<{ value: number; labels: Readonly<Record<string, string>>; metricName?: string }>;

/** A metric with its values at one moment, as it goes from a worker to the supervisor. */
export type MetricSnapshot = Readonly<{ name: string; help: string; type: string; values: readonly Sample[] }>;

/** What adds up over the life of a process, and over several. */
const ADD_UP = new Set(["counter", "histogram"]);

/** All metrics of a registry now, or only those that add up. */
export async function readSnapshots(registry: Registry, only: "all" | "counters"): Promise<MetricSnapshot[]> {
  const metrics = registry.getMetricsAsArray();
  const chosen = only === "all" ? metrics : metrics.filter((metric) => "type" in metric && isCounter(metric.type));
  const read: unknown[] = await Promise.all(
    chosen.map(({ name }) => {
      const metric = registry.getSingleMetric(name);
      return metric instanceof LabelledTimes ? metric.getForPromString() : metric?.get();
    }),
  );
  return read.filter(isSnapshot);
}

const isCounter = (type: unknown): boolean => ADD_UP.has(String(type));

const isSnapshot = (value: unknown): value is MetricSnapshot =>
  typeof value === "object" && value !== null && "name" in value && "values" in value && Array.isArray(value.values);

/** Adds the counters of a process that has ended to what earlier ones left. */
export function addCounters(earlier: readonly MetricSnapshot[], last: readonly MetricSnapshot[]): MetricSnapshot[] {
  return sum([...earlier, ...last].filter(({ type }) => ADD_UP.has(type)));
}

/** Puts a label on every value, which has none of that name. */
export const withLabel = (snapshots: readonly MetricSnapshot[], name: string, value: string): MetricSnapshot[] =>
  snapshots.map((metric) => ({
    ...metric,
    values: metric.values.map((sample) => ({ ...sample, labels: { [name]: value, ...sample.labels } })),
  }));

/** One metric for each name; values with the same labels are added. */
export function sum(snapshots: readonly MetricSnapshot[]): MetricSnapshot[] {
  const metrics = new Map<string, { metric: MetricSnapshot; values: Map<string, Sample> }>();
  for (const metric of snapshots) {
    const known = metrics.get(metric.name) ?? { metric, values: new Map<string, Sample>() };
    metrics.set(metric.name, known);
    for (const sample of metric.values) {
      const series = seriesOf(metric, sample);
      const value = (known.values.get(series)?.value ?? 0) + sample.value;
      known.values.set(series, { ...sample, value });
    }
  }
  return [...metrics.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
}

/** The text that Prometheus reads. */
export function metricsText(snapshots: readonly MetricSnapshot[]): string {
  return snapshots
    .map((metric) => {
      const { name, help, type, values } = metric;
      const lines = values.map((sample) => `${seriesOf(metric, sample)} ${numberText(sample.value)}`);
      return [
        `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...lines,
      ]
        .map((line) => `${line}\n`)
        .join("");
    })
    .join("\n");
}

function seriesOf({ name }: MetricSnapshot, { metricName, labels }: Sample): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(String(value))}"`);
  return `${metricName ?? name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
