import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createHostSlots, SlotCounter } from "../../../../lib/limits/host-slots.ts";
import { GatewayError } from "../../../call/errors.ts";
import { AttemptLog, CallTiming, ClientPresence } from "../../../call/progress.ts";
import { createCallQueues } from "./call-queues.ts";

/** Calls that wait in two workers of a host for one route. */

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const VIP = 0;
const OTHERS = 1;

/** Two workers, whose calls find no room until `room.isFree`; `pass` lets time go by, with their news. */
function start(maxLength = 10) {
  const counter = new SlotCounter();
  const slotsOf = (worker: number) => createHostSlots((question) => Promise.resolve(counter.count(question, worker)));
  const workers = [createCallQueues(Date.now, slotsOf(1)), createCallQueues(Date.now, slotsOf(2))] as const;
  const room = { isFree: false, served: [] as string[], tries: [] as string[] };
  const refused: string[] = [];
  const share = () => {
    const [one, two] = workers;
    const heads = [one.heads(), two.heads()];
    one.learn(2, structuredClone(heads[1] ?? []));
    two.learn(1, structuredClone(heads[0] ?? []));
  };
  const pass = async (ms: number, shares = true) => {
    for (let at = 0; at < ms; at += 50) {
      if (shares && at % 250 === 0) share();
      jest.advanceTimersByTime(50);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  };
  const ask = (worker: 0 | 1, name: string, priority: number, maxWaitMs = 60_000) => {
    const client = new ClientPresence(new Request("http://localhost"));
    const timing = new CallTiming(performance.now());
    const call = { progress: { client, attempts: new AttemptLog(), timing, cache: null, guard: null } };
    const work = async () => {
      room.tries.push(name);
      if (!room.isFree) throw new GatewayError(429, "rate_limited", "invalid_request");
      room.served.push(name);
    };
    const rule = { route: "calm", maxWaitMs, maxLength, priority };
    void workers[worker].run(call, rule, work).catch(() => refused.push(name));
  };
  return { room, refused, ask, pass, counter };
}

test("the better priority is served first, then the earlier call, in whichever worker they wait", async () => {
  const { room, ask, pass } = start();
  ask(0, "first", OTHERS);
  await pass(500);
  ask(1, "second", OTHERS);
  await pass(500);
  ask(0, "third", OTHERS);
  ask(1, "vip", VIP);
  await pass(2000);
  // Only the first of all tries; the others would be refused for nothing.
  room.tries = [];
  await pass(3000);
  expect(new Set(room.tries)).toEqual(new Set(["vip"]));
  room.isFree = true;
  await pass(5000);
  expect(room.served).toEqual(["vip", "first", "second", "third"]);
});

test("a new call lines up behind those that wait in another worker", async () => {
  const { room, ask, pass } = start();
  ask(0, "waiting", OTHERS);
  await pass(1000);
  room.isFree = true;
  ask(1, "new", OTHERS);
  await pass(3000);
  expect(room.served).toEqual(["waiting", "new"]);
});

test("calls behind another worker end at their own deadline", async () => {
  const { room, refused, ask, pass } = start();
  ask(0, "vip", VIP);
  await pass(500);
  ask(1, "impatient", OTHERS, 1000);
  await pass(1500);
  expect([refused, room.tries.includes("impatient")]).toEqual([["impatient"], true]);
});

test("a worker that shares no more news holds up nobody", async () => {
  const { room, ask, pass } = start();
  ask(0, "vip", VIP);
  await pass(500);
  ask(1, "other", OTHERS);
  await pass(500);
  room.tries = [];
  await pass(3000, false);
  expect(room.tries).toContain("other");
});

test("a queue has its places over all workers: what comes after is refused, what ends makes room", async () => {
  const { room, refused, ask, pass } = start(3);
  for (let at = 0; at < 3; at += 1) {
    ask(0, `a${at}`, OTHERS);
    ask(1, `b${at}`, OTHERS);
  }
  await pass(250);
  // At the same moment: whichever worker asks first has the place.
  expect(refused).toHaveLength(3);
  ask(1, "late", VIP);
  await pass(250);
  expect(refused).toContain("late");
  room.isFree = true;
  await pass(3000);
  expect(room.served).toHaveLength(3);
  room.isFree = false;
  for (const name of ["c0", "c1", "c2", "c3"]) ask(1, name, OTHERS);
  await pass(250);
  expect(refused.slice(4)).toEqual(["c3"]);
});

test("the places of a worker that has died are free", async () => {
  const { refused, ask, pass, counter } = start(1);
  ask(0, "dead", OTHERS);
  await pass(250);
  ask(1, "early", OTHERS);
  await pass(250);
  expect(refused).toEqual(["early"]);
  counter.forgetProcess(1);
  ask(1, "late", OTHERS);
  await pass(250);
  expect(refused).toEqual(["early"]);
});
