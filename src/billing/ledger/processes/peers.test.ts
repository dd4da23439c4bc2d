import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import { type AccountKey, type KnownBalance, Peers } from "./peers.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

/** Processes on one change feed, and what each of them received. */
function connect(...ids: readonly string[]) {
  type Receive = (messages: readonly (string | number)[]) => unknown;
  const receivers = new Map<string, Receive>();
  const messages: string[] = [];
  const state = { isAway: false, live: ids.length };
  const join = (processId: string) => {
    const received = {
      requests: [] as string[],
      learned: [] as KnownBalance[],
      memberships: 0,
      gate: Promise.resolve(),
    };
    const peers = new Peers(
      {
        ...{ processId, log: silentLog, liveProcesses: () => state.live },
        changes: {
          subscribe: (_: string, receive: Receive) => {
            receivers.set(processId, receive);
            return () => void receivers.delete(processId);
          },
          publish: async (_: string, published: readonly (string | number)[]) => {
            if (state.isAway) throw new Error("away");
            messages.push(...published.map(String));
            for (const receive of [...receivers.values()]) receive(published);
          },
        } as never,
      },
      {
        giveBack: async (accounts: readonly AccountKey[]) => {
          received.requests.push(...accounts.map(({ subject, id }) => `${subject} ${id}`));
          await received.gate;
        },
        learn: (balances) => void received.learned.push(...balances),
        onMembership: () => {
          received.memberships += 1;
        },
      },
    );
    return { peers, received };
  };
  return { processes: ids.map(join), messages, state, send: (text: string) => receivers.get("a")?.([text]) };
}
const keys = (count: number): AccountKey[] =>
  Array.from({ length: count }, (_, at) => ({
    subject: (["user", "token", "budget"] as const)[at % 3] ?? "user",
    id: at + 1,
  }));
/** Whether something has ended, without waiting for it. */
const isDone = async (work: Promise<unknown>) => {
  await settle();
  return Promise.race([work.then(() => true), Promise.resolve().then(() => false)]);
};

test("all others are requested to give back, and waited for until the last has given back", async () => {
  const { processes } = connect("a", "b", "c");
  const [a, b, c] = processes;
  if (!a || !b || !c) throw new Error("three processes");
  const gate = Promise.withResolvers<void>();
  c.received.gate = gate.promise;
  const collecting = a.peers.collect(keys(3));
  expect(await isDone(collecting)).toBe(false);
  const requests = ["user 1", "token 2", "budget 3"];
  expect([a.received.requests, b.received.requests, c.received.requests]).toEqual([[], requests, requests]);
  gate.resolve();
  expect(await isDone(collecting)).toBe(true);
});

test("one that does not answer is waited for less than a second", async () => {
  const { processes, state } = connect("a", "b");
  const [a] = processes;
  state.live = 3;
  const collecting = a?.peers.collect(keys(1)) ?? Promise.resolve();
  await settle();
  jest.advanceTimersByTime(899);
  expect(await isDone(collecting)).toBe(false);
  jest.advanceTimersByTime(1);
  expect(await isDone(collecting)).toBe(true);
});

test("many accounts go in several messages, each of which is answered", async () => {
  const { processes, messages } = connect("a", "b");
  const [a, b] = processes;
  const collecting = a?.peers.collect(keys(301)) ?? Promise.resolve();
  expect(await isDone(collecting)).toBe(true);
  expect(b?.received.requests).toHaveLength(301);
  expect(
    messages.filter((message) => message.startsWith("collect ")).map((message) => message.split(" ").length),
  ).toEqual([153, 153, 4]);
  for (const message of messages) expect(message.length).toBeLessThan(7000);
});

test("replies count for the round and the process that they answer", async () => {
  const { processes, state, send } = connect("a");
  const [a] = processes;
  state.live = 2;
  const first = a?.peers.collect(keys(1)) ?? Promise.resolve();
  const second = a?.peers.collect(keys(1)) ?? Promise.resolve();
  await settle();
  for (const stray of ["collected b x 1", "collected b a 9", "collected b a"]) send(stray);
  expect([await isDone(first), await isDone(second)]).toEqual([false, false]);
  send("collected b a 2");
  expect([await isDone(first), await isDone(second)]).toEqual([false, true]);
  send("collected b a 1");
  expect(await isDone(first)).toBe(true);
});

test("balances reach the others as they are; what can't be read is left out", async () => {
  const { processes, send } = connect("a", "b");
  const [a, b] = processes;
  const balances = keys(3).map((key, at) => ({ ...key, quota: at * 1000 - 1, held: at * 10 }));
  b?.peers.publishBalances(balances);
  b?.peers.publishBalances([]);
  await settle();
  expect([a?.received.learned, b?.received.learned]).toEqual([balances, []]);
  send("balances b u0:1:1 u-1:1:1 x1:1:1 u1.5:1:1 u1:x:1 u1:1 u1:1:y u4:5:6");
  expect(a?.received.learned.slice(3)).toEqual([{ subject: "user", id: 4, quota: 5, held: 6 }]);
});

test("who joins or leaves is noticed by the others, until they stop listening", async () => {
  const { processes } = connect("a", "b");
  const [a, b] = processes;
  await b?.peers.announce("joined");
  await b?.peers.announce("left");
  expect([a?.received.memberships, b?.received.memberships]).toEqual([2, 0]);
  a?.peers.close();
  await b?.peers.announce("joined");
  expect(a?.received.memberships).toBe(2);
});

test("a feed that is away keeps nobody waiting longer, and a process that is alone asks nobody", async () => {
  const { processes, state } = connect("a");
  const [a] = processes;
  state.isAway = true;
  await a?.peers.announce("left");
  state.live = 2;
  expect(a?.peers.hasOthers).toBe(true);
  const collecting = a?.peers.collect(keys(1)) ?? Promise.resolve();
  await settle();
  jest.advanceTimersByTime(900);
  expect(await isDone(collecting)).toBe(true);
  state.live = 1;
  expect(a?.peers.hasOthers).toBe(false);
});
