import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { releaseWhenResting } from "./start-memory.ts";

const shrink = spyOn(Bun, "shrink").mockImplementation(() => {});
beforeEach(() => {
  shrink.mockClear();
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("waits for the end of the start and for a moment without calls, and releases memory once", () => {
  let calls = 1;
  releaseWhenResting(() => calls, { first: 1000, next: 100 });
  jest.advanceTimersByTime(1050);
  expect(shrink).not.toHaveBeenCalled();
  calls = 0;
  jest.advanceTimersByTime(100);
  expect(shrink).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(60_000);
  expect(shrink).toHaveBeenCalledTimes(1);
});
