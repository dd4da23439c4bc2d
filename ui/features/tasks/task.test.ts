import { expect, test } from "bun:test";
import { elapsedSeconds, hourAhead, isSlowDrawing, monthAgo, percentOf, pollTasks, startOfDay } from "./task.ts";

test("progress is read from text and stays between 0 and 100", () => {
  expect(["40%", "", "120%", "-3%", "wait"].map(percentOf)).toEqual([40, 0, 100, 0, 0]);
});

test("a list is read again while one of its tasks is under way", () => {
  expect(pollTasks([{ status: "SUCCESS" }, { status: "FAILURE" }])).toBe(false);
  expect(pollTasks([{ status: "SUCCESS" }, { status: "IN_PROGRESS" }])).toBe(5000);
  expect(pollTasks([])).toBe(false);
});

test("elapsed time is known once a task has ended", () => {
  expect(elapsedSeconds(100, 112.4)).toBe(12);
  expect(elapsedSeconds(100, 0)).toBeNull();
  expect(elapsedSeconds(0, 112)).toBeNull();
});

test("the day begins at its local midnight", () => {
  expect(startOfDay(new Date(2026, 0, 2, 15, 4))).toBe(new Date(2026, 0, 2).getTime() / 1000);
});

test("a month back is 30 days, over the turn of a month or year", () => {
  expect(hourAhead(new Date(Date.UTC(2026, 0, 2, 15, 4)))).toBe(Date.UTC(2026, 0, 2, 17) / 1000);
  expect(monthAgo(new Date(2026, 0, 2, 15, 4))).toBe(new Date(2025, 11, 3).getTime() / 1000);
});

test("a drawing is slow over a minute, an unfinished one is not yet", () => {
  expect([null, 60, 61].map(isSlowDrawing)).toEqual([false, false, true]);
});
