import { expect, test } from "bun:test";
import { createFailureCounter } from "./failure-counter.ts";

/** Plays outcomes (F failed, s succeeded, digits: so many seconds pass) and returns at which failure there were enough. */
function play(script: string, failures: number, calls: number, withinMs = 10_000) {
  let now = 0;
  const counter = createFailureCounter(
    () => ({ failures, calls, withinMs }),
    () => now,
  );
  return [...script].flatMap((step, at) => {
    if (step === "F") return counter.failed(1, "k") ? [at] : [];
    if (step === "s") counter.succeeded(1, "k");
    else now += Number(step) * 1000;
    return [];
  });
}

test.each([
  ["FF", 1, 1, [0, 1]],
  ["FFF", 3, 3, [2]],
  // One success between them: three of the last three are needed, or three of four.
  ["FFsF", 3, 3, []],
  ["FFsF", 3, 4, [3]],
  ["FssssFF", 3, 5, []],
  // The count is reset.
  ["FFFFFF", 3, 3, [2, 5]],
  // Failures of 11 seconds ago do not count.
  ["FF9FF", 3, 3, [3]],
  ["FF99FF", 3, 3, []],
  ["sssFsF", 2, 3, [5]],
] as const)("%s with %i of %i", (script, failures, calls, expected) => {
  expect(play(script, failures, calls)).toEqual([...expected]);
});

test("keys are counted apart", () => {
  const counter = createFailureCounter(() => ({ failures: 2, calls: 2, withinMs: 10_000 }));
  expect([counter.failed(1, "a"), counter.failed(1, "b"), counter.failed(2, "a")]).toEqual([false, false, false]);
  expect(counter.failed(1, "b")).toBe(true);
});
