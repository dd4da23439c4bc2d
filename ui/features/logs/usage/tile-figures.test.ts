import { describe, expect, test } from "bun:test";
import type { UsageOverview } from "../../../../src/domain/logs/usage/read-overview.ts";
import type { Series } from "../../../../src/domain/logs/usage/series/read-series.ts";
import { TILES, tileFigures } from "./tile-figures.ts";

const SUMS = { count: 0, failed: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
const NOTHING = {
  first_token_p50_ms: null,
  first_token_p95_ms: null,
  duration_p50_ms: null,
  duration_p95_ms: null,
  tokens_per_second: null,
  prompt_tokens: 0,
  cached_tokens: 0,
  saved_quota: 0,
};
const period = (sums: Partial<typeof SUMS>, performance: object = {}): UsageOverview["current"] => ({
  sums: { ...SUMS, ...sums },
  performance: { calls: 0, ...NOTHING, ...performance },
});
const at = (start: number, values: Partial<typeof SUMS>) => ({ ...SUMS, elapsed_ms: 0, start, ...values });
const SERIES: Series[] = [
  { key: "a", name: "a", points: [at(10, { count: 2, failed: 1, quota: 5 }), at(20, { count: 1, quota: 7 })] },
  { key: "b", name: "b", points: [at(0, { count: 4, quota: 1 }), at(20, { count: 1, failed: 1, quota: 2 })] },
];

const CHART = { series: SERIES, periods: [0, 10, 20, 30] };

describe("tileFigures", () => {
  test("compares with the period before: relative, shares in points", () => {
    const overview = {
      current: period({ count: 10, failed: 1, quota: 150 }, { duration_p50_ms: 800 }),
      previous: period({ count: 8, failed: 0, quota: 100 }, { duration_p50_ms: 1000 }),
      points: [],
    };
    expect(tileFigures("cost", overview, CHART)).toMatchObject({ value: 150, change: { value: 0.5, isBetter: null } });
    const { change } = tileFigures("success", overview, CHART);
    expect(change?.value).toBeCloseTo(-0.1, 10);
    expect([change?.isPoints, change?.isBetter]).toEqual([true, false]);
    expect(tileFigures("duration", overview, CHART).change).toEqual({ value: -0.2, isPoints: false, isBetter: true });
  });

  test("has no change where one of the periods has no figure", () => {
    const overview = { current: period({ count: 3, quota: 5 }), previous: period({}), points: [] };
    for (const name of TILES)
      expect([name, tileFigures(name, overview, { series: [], periods: [] }).change]).toEqual([name, null]);
    expect(tileFigures("cacheShare", overview, { series: [], periods: [] }).value).toBeNull();
  });

  test("sums the series of each period, also of those without requests", () => {
    const overview = { current: period({}), previous: period({}), points: [] };
    expect(tileFigures("cost", overview, CHART).line).toEqual([1, 5, 9, 0]);
    expect(tileFigures("requests", overview, CHART).line).toEqual([4, 2, 2, 0]);
    expect(tileFigures("success", overview, CHART).line).toEqual([1, 0.5, 0.5]);
  });

  test("takes speeds from the newest requests, without gaps", () => {
    const points = [null, 90, 70].map((ms, start) => ({ start, ...NOTHING, first_token_p50_ms: ms }));
    expect(tileFigures("firstToken", { current: period({}), previous: period({}), points }, CHART).line).toEqual([
      90, 70,
    ]);
  });
});
