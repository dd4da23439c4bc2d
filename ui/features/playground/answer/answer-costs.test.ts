import { expect, test } from "bun:test";
import { cheaperBy } from "./answer-costs.ts";

test.each([
  [
    [3200, 100],
    [null, 32],
  ],
  [
    [100, 150, 600],
    [6, 4, null],
  ],
  [
    [100, 103],
    [null, null],
  ],
  [
    [100, null],
    [null, null],
  ],
  [
    [0, 100],
    [null, null],
  ],
  [[100], [null]],
])("costs of %j are cheaper by %j", (costs, factors) => {
  expect(cheaperBy(costs)).toEqual(factors);
});
