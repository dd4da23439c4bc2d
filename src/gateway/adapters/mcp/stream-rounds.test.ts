import { afterEach, expect, jest, test } from "bun:test";
import { streamRounds } from "./stream-rounds.ts";
import type { McpEvents, McpTurn } from "./turn.ts";

afterEach(() => {
  jest.useRealTimers();
});

const PING = ": PING\n\n";

/** A response of one round whose tools end when `tools` is resolved. */
function start(pingMs: number) {
  const tools = Promise.withResolvers<void>();
  const calls: string[] = [];
  const turn: McpTurn = {
    known: new Map(),
    begin: () => [],
    take: () => [],
    goesOn: () => false,
    request: () => ({}),
    response: () => ({}),
  };
  const events: McpEvents = {
    push: () => "",
    takeResponse: () => ({ id: "r" }),
    results: () => "results",
    fail: () => "failed",
    end: () => "end",
  };
  const stream = streamRounds(new Response("data: {}\n\n"), {
    turn,
    events,
    ping: PING,
    pingMs,
    next: () => Promise.reject(new Error("no further round")),
    makeCalls: () => tools.promise,
    complete: async () => void calls.push("complete"),
    leave: () => {
      calls.push("leave");
      // What runs for a client is aborted when it leaves.
      tools.resolve();
    },
    close: () => calls.push("close"),
  });
  const reader = stream.getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value === undefined ? null : Buffer.from(value).toString();
  };
  return { tools, calls, reader, read };
}

/** Lets everything run that waits for no timer. */
const settle = async () => {
  for (let step = 0; step < 50; step += 1) await Promise.resolve();
};

test("pings keep the connection open while a tool runs, and end with it", async () => {
  jest.useFakeTimers();
  const { tools, calls, read } = start(15_000);
  const texts: (string | null)[] = [];
  const next = async () => void texts.push(await read());
  for (let count = 1; count <= 3; count += 1) {
    const reading = next();
    await settle();
    jest.advanceTimersByTime(14_999);
    await settle();
    expect(texts).toHaveLength(count - 1);
    jest.advanceTimersByTime(1);
    await reading;
  }
  expect(texts).toEqual([PING, PING, PING]);
  const reading = next();
  await settle();
  tools.resolve();
  await reading;
  await next();
  await next();
  expect(texts.slice(3)).toEqual(["results", "end", null]);
  expect(calls).toEqual(["complete", "close"]);
  expect(jest.getTimerCount()).toBe(0);
});

test("no pings where they are switched off", async () => {
  jest.useFakeTimers();
  const { tools, read } = start(0);
  const reading = read();
  await settle();
  expect(jest.getTimerCount()).toBe(0);
  tools.resolve();
  expect(await reading).toBe("results");
});

test("a client that leaves while a tool runs ends everything, and no timer stays", async () => {
  jest.useFakeTimers();
  const { calls, reader, read } = start(15_000);
  const reading = read();
  await settle();
  await reader.cancel();
  expect(await reading).toBeNull();
  expect([calls.filter((call) => call !== "complete"), jest.getTimerCount()]).toEqual([["leave", "close"], 0]);
});
