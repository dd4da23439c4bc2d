import { expect, test } from "bun:test";
import type { ExperimentPoint } from "../../../../src/domain/models/experiments/experiment-series.ts";
import { barsOf, stepOf } from "./ExperimentPanel.tsx";

const DAY = 86_400;
const point = (start: number, isTrial: boolean, fields: Partial<ExperimentPoint> = {}): ExperimentPoint => ({
  ...{ start, is_trial: isTrial, calls: 4, failed: 1, latency_ms: 200, first_token_ms: null, cost: 15 },
  ...fields,
});

test("both sides have a value or a gap in each period between the first and the last", () => {
  const points = [
    point(11 * DAY, false),
    point(19 * DAY, true, { latency_ms: 90, failed: 0 }),
    point(18 * DAY, true, { failed: 4, latency_ms: null }),
  ];
  const gap = Array.from({ length: 7 }, () => null);
  expect(barsOf(points, "day", "latency")).toEqual({
    periods: Array.from({ length: 9 }, (_, index) => (11 + index) * DAY),
    control: [200, ...gap, null],
    trial: [null, ...gap, 90],
  });
  expect(barsOf(points, "day", "errors")).toMatchObject({
    control: [0.25, ...gap, null],
    trial: [null, ...gap.slice(1), 1, 0],
  });
  expect(barsOf(points, "day", "first_token")).toEqual({ periods: [], control: [], trial: [] });
  expect(barsOf([], "hour", "cost").periods).toEqual([]);
  // The bars of one period would be as wide as the page.
  expect(barsOf([point(20 * DAY, false)], "day", "cost")).toMatchObject({ control: [...gap.slice(1), 15] });
});

test("what is at most two days old is shown by hour at first", () => {
  expect(stepOf([])).toBe("hour");
  expect(stepOf([point(DAY, false), point(2 * DAY, false)])).toBe("hour");
  expect(stepOf([point(DAY, false), point(3 * DAY, true)])).toBe("day");
});
