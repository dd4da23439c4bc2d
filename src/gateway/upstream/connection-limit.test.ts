import { describe, expect, test } from "bun:test";
import { UpstreamBusyError } from "./exchange.ts";
import { createConnectionLimit } from "./upstream.ts";

const NEVER = new AbortController().signal;
const LONG_MS = 60_000;

describe("a connection limit", () => {
  test("lends at once while connections are free, each origin its own", async () => {
    const limit = createConnectionLimit(2, LONG_MS);
    const [release] = await Promise.all(["a", "a", "b", "b"].map((origin) => limit.acquire(origin, NEVER)));
    const third = limit.acquire("a", NEVER);
    expect(await Promise.race([third, Bun.sleep(1)])).toBeUndefined();
    release?.();
    expect(await third).toBeFunction();
  });

  test("hands a released connection to whoever waited longest, never to a newcomer, and never counts twice", async () => {
    const limit = createConnectionLimit(1, LONG_MS);
    const release = await limit.acquire("a", NEVER);
    const order: string[] = [];
    const wait = async (name: string) => {
      const own = await limit.acquire("a", NEVER);
      order.push(name);
      return own;
    };
    const [first, second] = [wait("first"), wait("second")];
    release();
    release();
    const newcomer = wait("newcomer");
    (await first)();
    (await second)();
    (await newcomer)();
    expect(order).toEqual(["first", "second", "newcomer"]);
    expect(await limit.acquire("a", NEVER)).toBeFunction();
  });

  test("refuses callers that waited too long, and forgets those that left", async () => {
    const limit = createConnectionLimit(1, 5);
    const release = await limit.acquire("a", NEVER);
    await expect(limit.acquire("a", NEVER)).rejects.toBeInstanceOf(UpstreamBusyError);
    const left = new AbortController();
    const waiting = limit.acquire("a", left.signal);
    left.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    await expect(limit.acquire("a", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    release();
    expect(await limit.acquire("a", NEVER)).toBeFunction();
  });
});
