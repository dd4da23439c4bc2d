/** Calls that wait for a route in one process. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { GatewayError } from "../../../call/errors.ts";
import { AttemptLog, CallTiming, CLIENT_LEFT, ClientPresence } from "../../../call/progress.ts";
import { createCallQueues } from "./call-queues.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const busy = (status = 429) => new GatewayError(status, "rate_limited", "invalid_request");

/** Calls of a route, each of which is refused with `refusal` until that is null. */
function start(maxLength = 10) {
  const queues = createCallQueues(Date.now);
  const startMs = performance.now();
  const elapsed = () => Math.round(performance.now() - startMs);
  const route = { refusal: busy() as unknown };
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const pass = async (ms: number) => {
    await settle();
    for (let at = 0; at < ms; at += 50) {
      jest.advanceTimersByTime(50);
      await settle();
    }
  };
  const ask = (maxWaitMs = 60_000, priority = 0) => {
    const client = new ClientPresence(new Request("http://localhost"));
    const attempts = new AttemptLog();
    const timing = new CallTiming(performance.now());
    const call = {
      progress: { client, attempts, timing, cache: null, guard: null },
      tries: [] as number[],
      end: null as unknown,
      endMs: 0,
    };
    const work = async () => {
      call.tries.push(elapsed());
      attempts.entries.push({} as never);
      if (route.refusal) throw route.refusal;
      return "served";
    };
    const end = (result: unknown) => Object.assign(call, { end: result, endMs: elapsed() });
    void queues.run(call, { route: "calm", maxWaitMs, maxLength, priority }, work).then(end, end);
    return call;
  };
  return { queues, route, ask, pass };
}

test.each([
  [429, true],
  [503, true],
  [529, true],
  [428, false],
  [430, false],
  [500, false],
  [502, false],
  [504, false],
  [528, false],
  [530, false],
])("a call that is refused with %i waits: %p", async (status, waits) => {
  const { queues, route, ask, pass } = start();
  route.refusal = busy(status);
  const call = ask();
  await pass(50);
  expect([call.end === route.refusal, queues.lengthOf("calm")]).toEqual([!waits, waits ? 1 : 0]);
});

test("no call waits for a gateway that shuts down, nor for a mistake of its own", async () => {
  for (const refusal of [
    new GatewayError(503, "server_shutting_down", "invalid_request"),
    new TypeError("a mistake"),
  ]) {
    const { route, ask, pass } = start();
    route.refusal = refusal;
    const call = ask();
    await pass(50);
    expect(call.end).toBe(refusal);
    route.refusal = busy();
    const later = ask();
    await pass(50);
    route.refusal = refusal;
    await pass(300);
    expect([later.end, later.tries.length]).toEqual([refusal, 2]);
  }
});

test("the first tries again after longer and longer pauses until its time is over; its time in the queue is known", async () => {
  const { queues, route, ask, pass } = start();
  const call = ask(3_000);
  await pass(4_000);
  expect(call.tries).toEqual([0, 250, 750, 1_750, 2_750]);
  expect([call.end, call.endMs]).toEqual([route.refusal, 3_000]);
  expect([call.progress.timing.waitedMs, call.progress.timing.queuedMs].map(Math.round)).toEqual([3_000, 3_000]);
  // Of the tries, the first and the last are logged.
  expect(call.progress.attempts.entries).toHaveLength(2);
  expect([queues.lengthOf("calm"), queues.heads()]).toEqual([0, []]);
});

test("where one is served, the next tries at once; the better priority is next", async () => {
  const { queues, route, ask, pass } = start();
  const first = ask(60_000, 1);
  await pass(50);
  const [second, preferred] = [ask(60_000, 1), ask(60_000, 0)];
  await pass(50);
  expect(queues.lengthOf("calm")).toBe(3);
  expect(queues.lengthOf("another")).toBe(0);
  route.refusal = null;
  await pass(1_000);
  expect([first.end, second.end, preferred.end]).toEqual(["served", "served", "served"]);
  expect(preferred.endMs).toBeLessThanOrEqual(first.endMs);
  expect(first.endMs).toBeLessThanOrEqual(second.endMs);
  expect(second.endMs - preferred.endMs).toBeLessThanOrEqual(250);
});

test("a call that finds all places taken is tried once, and refused", async () => {
  const { queues, route, ask, pass } = start(2);
  const waiting = [ask(), ask()];
  await pass(50);
  expect(queues.lengthOf("calm")).toBe(2);
  const late = ask();
  await pass(50);
  expect([late.end, late.tries.length, queues.lengthOf("calm")]).toEqual([route.refusal, 1, 2]);
  expect(waiting.map(({ end }) => end)).toEqual([null, null]);
});

test("a client that leaves makes room at once, and is not asked for again", async () => {
  const { queues, ask, pass } = start();
  const [call, next] = [ask(), ask()];
  await pass(100);
  const tries = call.tries.length;
  call.progress.client.leave();
  await pass(50);
  expect([call.end, call.tries.length, queues.lengthOf("calm")]).toEqual([CLIENT_LEFT, tries, 1]);
  expect(next.end).toBeNull();
});
