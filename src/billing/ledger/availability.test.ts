import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { LedgerAvailability } from "./availability.ts";
import { LedgerUnavailable } from "./errors.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const refused = Object.assign(new Error("deadlock"), { code: "40P01" });
const times = ({ unansweredMs, refusingMs }: LedgerAvailability) => [unansweredMs, refusingMs];
/** Starts a statement; `end` ends it. */
function start(availability: LedgerAvailability) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const result = availability.watchStatement(() => promise).catch(() => {});
  const end = (by: () => void) => {
    by();
    return result;
  };
  return { succeed: () => end(resolve), fail: (error: Error) => end(() => reject(error)) };
}

test("a statement counts as unanswered until one succeeds, or the database refuses it", async () => {
  const availability = new LedgerAvailability();
  expect(times(availability)).toEqual([0, 0]);
  jest.advanceTimersByTime(1000);
  const first = start(availability);
  jest.advanceTimersByTime(100);
  await first.fail(new Error("connection refused"));
  jest.advanceTimersByTime(50);
  const second = start(availability);
  jest.advanceTimersByTime(50);
  expect(times(availability)).toEqual([200, 0]);
  await second.succeed();
  expect(times(availability)).toEqual([0, 0]);
  const third = start(availability);
  jest.advanceTimersByTime(10);
  await third.fail(refused);
  expect(times(availability)).toEqual([0, 0]);
});

test("a failure that somebody else deals with is none the less no answer, a refusal is one", async () => {
  const availability = new LedgerAvailability();
  const lost = start(availability);
  jest.advanceTimersByTime(10);
  availability.statementFailed(new Error("connection refused"));
  await lost.succeed();
  expect(times(availability)).toEqual([10, 0]);
  jest.advanceTimersByTime(5);
  await start(availability).succeed();
  expect(times(availability)).toEqual([0, 0]);
  const denied = start(availability);
  availability.statementFailed(refused);
  await denied.succeed();
  expect(times(availability)).toEqual([0, 0]);
});

test("calls are refused from the first whose balance could not be checked, until the database answers", async () => {
  const availability = new LedgerAvailability();
  availability.reservationFailed(new Error("not enough"));
  jest.advanceTimersByTime(10);
  expect(times(availability)).toEqual([0, 0]);
  availability.reservationFailed(new LedgerUnavailable("no answer"));
  jest.advanceTimersByTime(30);
  availability.reservationFailed(new LedgerUnavailable("no answer"));
  jest.advanceTimersByTime(12);
  expect(times(availability)).toEqual([0, 42]);
  await start(availability).succeed();
  expect(times(availability)).toEqual([0, 0]);
});

test.each(["40P0", "40p01", "40P011", 40_001, undefined])("an error with the code %p is no answer", async (code) => {
  const availability = new LedgerAvailability();
  const statement = start(availability);
  jest.advanceTimersByTime(5);
  await statement.fail(Object.assign(new Error("x"), { code }));
  expect(availability.unansweredMs).toBe(5);
});
