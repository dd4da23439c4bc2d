import { expect, test } from "bun:test";
import { incidentsIn } from "./model-incidents.ts";

const H = 3600;
const at = (hour: number, good: number, bad: number) => ({ hour: hour * H, count: good + bad, failed: bad });

test("hours in which too many calls failed are one incident until an hour goes well", () => {
  const hours = [at(1, 20, 0), at(2, 8, 2), at(3, 0, 10), at(5, 10, 0), at(8, 5, 5), at(9, 9, 1), at(10, 89, 11)];
  expect(incidentsIn(hours, 100 * H)).toEqual([
    { start: 10 * H, end: 11 * H, state: "degraded", share: 8900 },
    { start: 8 * H, end: 9 * H, state: "degraded", share: 5000 },
    { start: 2 * H, end: 4 * H, state: "down", share: 4000 },
  ]);
});

test("hours with few calls neither begin nor end one", () => {
  const hours = [at(1, 0, 4), at(2, 0, 5), at(3, 4, 0), at(4, 0, 5), at(5, 0, 1), at(6, 5, 0)];
  expect(incidentsIn(hours, 100 * H)).toEqual([{ start: 2 * H, end: 5 * H, state: "down", share: 0 }]);
});

test("one of this hour or the one before is not over, unless an hour went well since", () => {
  const failing = [at(7, 1, 9)];
  expect(incidentsIn(failing, 7.5 * H)[0]?.end).toBeNull();
  expect(incidentsIn(failing, 8.5 * H)[0]?.end).toBeNull();
  expect(incidentsIn(failing, 9.5 * H)[0]?.end).toBe(8 * H);
  expect(incidentsIn([...failing, at(8, 9, 0)], 8.5 * H)[0]?.end).toBe(8 * H);
  expect(incidentsIn([], 8 * H)).toEqual([]);
});

test("the latest twenty are shown", () => {
  const hours = Array.from({ length: 60 }, (_, index) => at(index, index % 2 ? 10 : 0, index % 2 ? 0 : 10));
  const shown = incidentsIn(hours, 100 * H);
  expect(shown).toHaveLength(20);
  expect(shown[0]?.start).toBe(58 * H);
});
