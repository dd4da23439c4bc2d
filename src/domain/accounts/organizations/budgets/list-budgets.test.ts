import { expect, test } from "bun:test";
import { forecastBudget } from "./list-budgets.ts";

const DAY = 86_400;
const budget = { limit: 1000, spent: 100, periodStart: 0, renewsAt: 30 * DAY };

test("goes on at the pace of the period", () => {
  expect(forecastBudget(budget, 3 * DAY)).toEqual({ forecast: 1000, runsOutAt: null });
  expect(forecastBudget({ ...budget, spent: 200 }, 3 * DAY)).toEqual({ forecast: 2000, runsOutAt: 15 * DAY });
});

test("a budget without a period runs out some day", () => {
  expect(forecastBudget({ ...budget, renewsAt: 0 }, 3 * DAY)).toEqual({ forecast: null, runsOutAt: 30 * DAY });
});

test.each([
  ["in the first hour", budget, 3599, { forecast: null, runsOutAt: null }],
  ["without any spending", { ...budget, spent: 0 }, DAY, { forecast: 0, runsOutAt: null }],
  ["once it is used up", { ...budget, spent: 1000 }, 15 * DAY, { forecast: 2000, runsOutAt: null }],
])("says no date %s", (_, spending, now, expected) => {
  expect(forecastBudget(spending, now)).toEqual(expected);
});
