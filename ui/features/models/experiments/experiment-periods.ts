import type { ExperimentPoint } from "../../../../src/domain/models/experiments/experiment-series.ts";
import { STEP_SECONDS } from "../../../components/charts/PeriodBars.tsx";

export const CHART_METRICS = ["latency", "first_token", "cost", "errors"] as const;
export type ChartMetric = (typeof CHART_METRICS)[number];
export type ChartStep = "hour" | "day";

/** A few bars would be as wide as the page. */
const FEWEST = { hour: 12, day: 7 } as const;

/** The step to start with: hours for what is at most two days old. */
export function stepOf(days: readonly ExperimentPoint[]): ChartStep {
  const starts = days.map(({ start }) => start);
  const isShort = starts.length === 0 || Math.max(...starts) - Math.min(...starts) <= STEP_SECONDS.day;
  return isShort ? "hour" : "day";
}

/** A side's figure in a period; null where nothing is known: nobody called, or every call failed. */
function metricOf(point: ExperimentPoint | undefined, metric: ChartMetric): number | null {
  if (!point) return null;
  if (metric === "errors") return point.failed / point.calls;
  return metric === "latency" ? point.latency_ms : metric === "cost" ? point.cost : point.first_token_ms;
}

/**
 * What a chart shows of both sides: all periods from the first to the last with calls, and some before where these are few, in epoch
 * seconds, with a value or null for each. No periods when the metric is known of none.
 */
export function barsOf(points: readonly ExperimentPoint[], step: ChartStep, metric: ChartMetric) {
  const known = points.filter((point) => metricOf(point, metric) !== null);
  const starts = known.map(({ start }) => start);
  const seconds = STEP_SECONDS[step];
  const last = Math.max(...starts);
  const first = Math.min(...starts, last - (FEWEST[step] - 1) * seconds);
  const count = starts.length === 0 ? 0 : Math.round((last - first) / seconds) + 1;
  const periods = Array.from({ length: count }, (_, index) => first + index * seconds);
  const side = (isTrial: boolean) => {
    const byStart = new Map(known.filter(({ is_trial }) => is_trial === isTrial).map((point) => [point.start, point]));
    return periods.map((start) => metricOf(byStart.get(start), metric));
  };
  return { periods, control: side(false), trial: side(true) };
}
