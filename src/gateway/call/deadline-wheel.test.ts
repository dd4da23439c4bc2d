import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createDeadlineWheel, type HasDeadline } from "./progress.ts";

const TICK_MS = 250;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Entries that record when they were checked; `during` runs during each check. */
function watchedThings(count: number, during: (index: number, all: readonly HasDeadline[]) => void = () => {}) {
  const looked: number[] = [];
  const all: HasDeadline[] = Array.from({ length: count }, (_, index) => ({
    place: -1,
    check: () => {
      looked.push(index);
      during(index, all);
    },
  }));
  return { all, looked };
}

test("every entry is checked until it is removed", () => {
  const watch = createDeadlineWheel();
  const { all, looked } = watchedThings(4);
  for (const one of all) watch.add(one);
  jest.advanceTimersByTime(TICK_MS);
  expect(looked.splice(0).sort()).toEqual([0, 1, 2, 3]);
  for (const index of [1, 3]) watch.remove(all[index] as HasDeadline);
  expect(watch.size).toBe(2);
  jest.advanceTimersByTime(TICK_MS);
  expect(looked.splice(0).sort()).toEqual([0, 2]);
});

test.each([
  ["itself", (index: number) => [index]],
  ["itself and its neighbors", (index: number) => [index - 1, index, index + 1]],
  ["everything", () => [0, 1, 2, 3, 4]],
])("a check may remove %s", (_, removes) => {
  const watch = createDeadlineWheel();
  const { all, looked } = watchedThings(5, (index, things) => {
    for (const other of removes(index)) if (things[other]) watch.remove(things[other]);
  });
  for (const one of all) watch.add(one);
  jest.advanceTimersByTime(TICK_MS);
  expect(watch.size).toBe(0);
  expect(all.every(({ place }) => place === -1)).toBe(true);
  const before = looked.length;
  jest.advanceTimersByTime(4 * TICK_MS);
  expect(looked).toHaveLength(before);
});

test("adding twice and removing an unknown entry have no effect", () => {
  const watch = createDeadlineWheel();
  const [one, other] = watchedThings(2).all as [HasDeadline, HasDeadline];
  watch.add(one);
  watch.add(one);
  watch.remove(other);
  expect(watch.size).toBe(1);
  watch.remove(one);
  watch.remove(one);
  expect(watch.size).toBe(0);
});

test("starts again after a pause", () => {
  const watch = createDeadlineWheel();
  const { all, looked } = watchedThings(1);
  const [one] = all as [HasDeadline];
  watch.add(one);
  watch.remove(one);
  jest.advanceTimersByTime(10 * TICK_MS);
  expect(jest.getTimerCount()).toBe(0);
  watch.add(one);
  jest.advanceTimersByTime(TICK_MS);
  expect(looked).toEqual([0]);
});
