import type { PerformancePoint, UsageOverview } from "../../../../src/domain/logs/usage/read-overview.ts";
import type { Series } from "../../../../src/domain/logs/usage/series/read-series.ts";
import type { SeriesPoint } from "../../../../src/domain/logs/usage/series/series-cell.ts";

/** The tiles of the dashboard, in their order. */
export const TILES = [
  "cost",
  "requests",
  "tokens",
  "success",
  "firstToken",
  "duration",
  "speed",
  "cacheShare",
] as const;
export type TileName = (typeof TILES)[number];

/** How a figure changed: relative to the earlier one, for shares in percentage points. Null: nothing to compare with. */
type Change = Readonly<{ value: number; isPoints: boolean; isBetter: boolean | null }> | null;

export type TileFigures = Readonly<{
  /** Quota units, counts, milliseconds, tokens a second, or a share of 1. Null: no request has the figure. */
  value: number | null;
  change: Change;
  /** The figure over time, the oldest first. */
  line: readonly number[];
}>;

/** Figures of which less or more is better; of the others nobody can say. */
const BETTER = { success: 1, cacheShare: 1, speed: 1, firstToken: -1, duration: -1 } as const;
const isJudged = (name: TileName): name is keyof typeof BETTER => Object.hasOwn(BETTER, name);
const SHARES: readonly TileName[] = ["success", "cacheShare"];
/** Smaller changes are not worth a color: relative ones, and those in percentage points. */
const NOTICEABLE = { relative: 0.05, points: 0.005 } as const;

/** What a chart of the period shows: its series, and the starts of its periods in epoch seconds. */
export type TileChart = Readonly<{ series: readonly Series[]; periods: readonly number[] }>;

/** The figures of a tile for a period, compared with the one before it. */
export function tileFigures(name: TileName, overview: UsageOverview, chart: TileChart): TileFigures {
  const value = figureOf(name, overview.current);
  return {
    value,
    change: changeOf(name, value, figureOf(name, overview.previous)),
    line: lineOf(name, overview, chart),
  };
}

const share = (part: number, total: number): number | null => (total > 0 ? part / total : null);

function figureOf(name: TileName, { sums, performance }: UsageOverview["current"]): number | null {
  switch (name) {
    case "cost":
      return sums.quota;
    case "requests":
      return sums.count;
    case "tokens":
      return sums.prompt_tokens + sums.completion_tokens;
    case "success":
      return share(sums.count - sums.failed, sums.count);
    case "firstToken":
      return performance.first_token_p50_ms;
    case "duration":
      return performance.duration_p50_ms;
    case "speed":
      return performance.tokens_per_second;
    case "cacheShare":
      return share(performance.cached_tokens, performance.prompt_tokens);
  }
}

function changeOf(name: TileName, now: number | null, before: number | null): Change {
  if (now === null || before === null) return null;
  const isPoints = SHARES.includes(name);
  if (!isPoints && before === 0) return null;
  const value = isPoints ? now - before : (now - before) / before;
  const isBetter =
    isJudged(name) && Math.abs(value) >= NOTICEABLE[isPoints ? "points" : "relative"] ? value * BETTER[name] > 0 : null;
  return { value, isPoints, isBetter };
}

const POINT_FIGURES: Partial<Record<TileName, (point: PerformancePoint) => number | null>> = {
  firstToken: (point) => point.first_token_p50_ms,
  duration: (point) => point.duration_p50_ms,
  speed: (point) => point.tokens_per_second,
  cacheShare: (point) => share(point.cached_tokens, point.prompt_tokens),
};

function lineOf(name: TileName, { points }: UsageOverview, { series, periods }: TileChart): number[] {
  const read = POINT_FIGURES[name];
  if (read) return points.map(read).filter((value) => value !== null);
  const figure = (point: SeriesPoint) => {
    if (name === "cost") return point.quota;
    return name === "tokens" ? point.prompt_tokens + point.completion_tokens : point.count;
  };
  const sums = new Map<number, { value: number; failed: number }>();
  for (const point of series.flatMap(({ points: all }) => all)) {
    const { value, failed } = sums.get(point.start) ?? { value: 0, failed: 0 };
    sums.set(point.start, { value: value + figure(point), failed: failed + point.failed });
  }
  // A period without requests has no success rate, but it has no cost.
  if (name !== "success") return periods.map((start) => sums.get(start)?.value ?? 0);
  const found = periods.map((start) => sums.get(start)).filter((sum) => sum !== undefined);
  return found.map(({ value, failed }) => (value - failed) / Math.max(1, value));
}
