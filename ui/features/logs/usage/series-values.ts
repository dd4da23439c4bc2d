import type { Series } from "../../../../src/domain/logs/usage/series/read-series.ts";
import type { SeriesPoint } from "../../../../src/domain/logs/usage/series/series-cell.ts";
import { type PeriodStep, STEP_SECONDS, shiftPeriod } from "../../../components/charts/period-steps.ts";
import { formatFixed } from "../../../lib/format/number.ts";

/** The measure that a chart shows per period. */
export type Measure = "quota" | "calls" | "tokens";

/** One measure of a period: quota units, calls or tokens. */
function figureOf(point: SeriesPoint, measure: Measure): number {
  if (measure === "quota") return point.quota;
  return measure === "calls" ? point.count : point.prompt_tokens + point.completion_tokens;
}

/** Beyond this many bars, only the time with calls is shown. */
const MOST_PERIODS = 1000;

/**
 * All periods of a range in order, from the first to the last with calls at least, in epoch seconds. Empty without
 * calls, because only the series knows where periods begin.
 */
export function periodsOf(
  series: readonly Series[],
  step: PeriodStep,
  range: Readonly<{ start: number; end: number }>,
): number[] {
  const starts = series.flatMap(({ points }) => points.map(({ start }) => start));
  if (starts.length === 0) return [];
  const first = starts.reduce((least, start) => Math.min(least, start));
  const last = starts.reduce((most, start) => Math.max(most, start));
  const seconds = STEP_SECONDS[step];
  const before = Math.max(0, Math.ceil((first - range.start) / seconds));
  const after = Math.max(0, Math.floor((range.end - last) / seconds));
  const between = Math.round((last - first) / seconds) + 1;
  const fits = before + between + after <= MOST_PERIODS;
  const begin = fits ? shiftPeriod(first, step, -before) : first;
  const count = fits ? before + between + after : between;
  return Array.from({ length: count }, (_, index) => shiftPeriod(begin, step, index));
}

/** The values of one series per period, 0 without calls. */
export function valuesOf({ points }: Series, periods: readonly number[], measure: Measure): number[] {
  const values = new Map(points.map((point) => [point.start, figureOf(point, measure)]));
  return periods.map((start) => values.get(start) ?? 0);
}

/** Totals of a series. */
export function totalsOf(series: readonly Series[]): Omit<SeriesPoint, "start"> {
  const totals = { count: 0, failed: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, elapsed_ms: 0 };
  for (const { points } of series) for (const point of points) for (const key of KEYS) totals[key] += point[key];
  return totals;
}

const KEYS = ["count", "failed", "quota", "prompt_tokens", "completion_tokens", "elapsed_ms"] as const;

/** Escapes a CSV cell; text that a spreadsheet would run as a formula stays text. */
const cell = (value: string | number): string => {
  const text =
    typeof value === "string" && /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * The series in CSV (RFC 4180, with a byte order mark for spreadsheets): one line per period and series, money in quota
 * units.
 */
export function seriesCsv(series: readonly Series[], nameOf: (one: Series) => string): string {
  const head = ["start", "name", "calls", "failed", "quota_units", "prompt_tokens", "completion_tokens"];
  const lines = series.flatMap((one) =>
    one.points.map(({ start, count, failed, quota, prompt_tokens, completion_tokens }) =>
      [new Date(start * 1000).toISOString(), nameOf(one), count, failed, quota, prompt_tokens, completion_tokens]
        .map(cell)
        .join(","),
    ),
  );
  return `\uFEFF${[head.join(","), ...lines].join("\r\n")}\r\n`;
}

/** From these shares of failed calls on they are worth a look, or somebody's time. */
const [NOTABLE_SHARE, BAD_SHARE] = [0.01, 0.05];

/** How bad it is that so many calls failed; null: as usual. */
export function failureTone(failed: number, total: number): "warn" | "bad" | null {
  const share = total === 0 ? 0 : failed / total;
  return share >= BAD_SHARE ? "bad" : share >= NOTABLE_SHARE ? "warn" : null;
}

/** A percentage with two decimals; a dash if the total is zero. */
export const percent = (part: number, total: number): string =>
  total ? `${formatFixed((part / total) * 100, 2)}%` : "–";
