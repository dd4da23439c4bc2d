import { expect, test } from "bun:test";
import type { Series } from "../../../src/domain/logs/usage/series/read-series.ts";
import { periodsOf, seriesCsv, totalsOf, valuesOf } from "./series-values.ts";

const DAY = 86_400;
const point = (start: number, quota: number) => ({
  start,
  count: 2,
  failed: 1,
  quota,
  prompt_tokens: 3,
  completion_tokens: 4,
  elapsed_ms: 500,
});
const one: Series = { key: "a", name: "a", points: [point(0, 10), point(3 * DAY, 20)] };
const other: Series = { key: "b", name: '=b,"x"', points: [point(DAY, 5)] };

test("periods without calls are there, as zeros", () => {
  const periods = periodsOf([one, other], DAY, { start: 0, end: 3 * DAY });
  expect(periods).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
  expect(valuesOf(one, periods, "quota")).toEqual([10, 0, 0, 20]);
  expect(valuesOf(other, periods, "tokens")).toEqual([0, 7, 0, 0]);
  expect(periodsOf([], DAY, { start: 0, end: DAY })).toEqual([]);
});

test("periods fill the requested time, unless they would be too many", () => {
  const range = { start: -1.5 * DAY, end: 4.5 * DAY };
  expect(periodsOf([one], DAY, range)).toEqual([-2, -1, 0, 1, 2, 3, 4].map((day) => day * DAY));
  expect(periodsOf([one], DAY, { start: DAY, end: 2 * DAY })).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
  expect(periodsOf([one], DAY, { start: -5000 * DAY, end: 3 * DAY })).toHaveLength(4);
});

test("totals go over all series", () => {
  expect(totalsOf([one, other])).toMatchObject({ count: 6, failed: 3, quota: 35, elapsed_ms: 1500 });
});

test("names cannot become formulas or columns of the file", () => {
  expect(seriesCsv([other], ({ name }) => name).split("\r\n")[1]).toBe(
    `1970-01-02T00:00:00.000Z,"'=b,""x""",2,1,5,3,4`,
  );
});
