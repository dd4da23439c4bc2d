import { expect, test } from "bun:test";
import type { Series } from "../../../../src/domain/logs/usage/series/read-series.ts";
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
  const periods = periodsOf([one, other], "day", { start: 0, end: 3 * DAY });
  expect(periods).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
  expect(valuesOf(one, periods, "quota")).toEqual([10, 0, 0, 20]);
  expect(valuesOf(other, periods, "tokens")).toEqual([0, 7, 0, 0]);
  expect(periodsOf([], "day", { start: 0, end: DAY })).toEqual([]);
});

test("periods fill the requested time, unless they would be too many", () => {
  const range = { start: -1.5 * DAY, end: 4.5 * DAY };
  expect(periodsOf([one], "day", range)).toEqual([-2, -1, 0, 1, 2, 3, 4].map((day) => day * DAY));
  expect(periodsOf([one], "day", { start: DAY, end: 2 * DAY })).toEqual([0, DAY, 2 * DAY, 3 * DAY]);
  expect(periodsOf([one], "day", { start: -5000 * DAY, end: 3 * DAY })).toHaveLength(4);
});

test("days are those of the calendar where the clock changes", () => {
  const zone = process.env.TZ;
  process.env.TZ = "America/New_York";
  try {
    const at = (day: number) => new Date(2026, 9, day).getTime() / 1000;
    const autumn: Series = { key: "a", name: "a", points: [point(at(30), 1), point(at(34), 2)] };
    expect(periodsOf([autumn], "day", { start: at(29), end: at(35) })).toEqual([29, 30, 31, 32, 33, 34, 35].map(at));
    expect(at(33) - at(32)).toBe(25 * 3600);
    const weeks: Series = { key: "a", name: "a", points: [point(at(26), 1), point(at(40), 2)] };
    expect(periodsOf([weeks], "week", { start: at(26), end: at(41) })).toEqual([26, 33, 40].map(at));
  } finally {
    process.env.TZ = zone ?? "";
  }
});

test("totals go over all series", () => {
  expect(totalsOf([one, other])).toMatchObject({ count: 6, failed: 3, quota: 35, elapsed_ms: 1500 });
});

test("names cannot become formulas or columns of the file", () => {
  expect(seriesCsv([other], ({ name }) => name).split("\r\n")[1]).toBe(
    `1970-01-02T00:00:00.000Z,"'=b,""x""",2,1,5,3,4`,
  );
});
