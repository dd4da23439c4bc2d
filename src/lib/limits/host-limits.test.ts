import { describe, expect, test } from "bun:test";
import { type CountQuestion, createHostLimits, createHostSlots, HostCounter } from "./host-limits.ts";

/** Two processes, and the one that counts for them. */
function startHost() {
  const counter = new HostCounter();
  const askAs = (process: number) => async (question: CountQuestion) => counter.count(question, process);
  return { counter, asks: [askAs(1), askAs(2)] as const };
}

const LIMIT = { count: 20, windowMs: 60_000 };

describe("limits of several processes of one host", () => {
  test("calls in parallel on two processes are admitted exactly", async () => {
    const limiters = startHost().asks.map((ask) => createHostLimits(ask).limiter("calls", LIMIT));
    const waits = await Promise.all(Array.from({ length: 200 }, (_, at) => limiters[at % 2]?.take("7")));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
    expect(await limiters[0]?.take("8")).toBe(0);
  });

  test("what one adds the other sees, and what one forgets both forget", async () => {
    const [here, there] = startHost().asks.map((ask) => createHostLimits(ask).limiter("tokens", LIMIT));
    await here?.add("7", 50);
    expect(await there?.check("7")).toBeGreaterThan(0);
    await there?.forget("7");
    expect(await here?.check("7")).toBe(0);
  });

  test("limits of other names and numbers are counted apart", async () => {
    const limits = createHostLimits(startHost().asks[0]);
    const small = limits.limiter("calls", { count: 1, windowMs: 60_000 });
    expect([await small.take("7"), await limits.limiter("mails", { count: 1, windowMs: 60_000 }).take("7")]).toEqual([
      0, 0,
    ]);
    expect(await small.take("7")).toBeGreaterThan(0);
  });

  test("without the counting process each counts for itself", async () => {
    const limiter = createHostLimits(() => Promise.reject(new Error("ended"))).limiter("calls", { ...LIMIT, count: 1 });
    expect(await limiter.take("7")).toBe(0);
    expect(await limiter.take("7")).toBeGreaterThan(0);
  });
});

describe("places of several processes of one host", () => {
  test("no more are taken than there are, whichever process takes them", async () => {
    const [here, there] = startHost().asks.map(createHostSlots);
    expect([await here?.enter("user", 2, "7"), await there?.enter("user", 2, "7")]).toEqual([true, true]);
    expect(await here?.enter("user", 2, "7")).toBe(false);
    expect(await here?.enter("user", 2, "8")).toBe(true);
    there?.leave("user", "7");
    expect(await here?.enter("user", 2, "7")).toBe(true);
  });

  test("a process that ends leaves its places", async () => {
    const { counter, asks } = startHost();
    const [here, there] = asks.map(createHostSlots);
    await there?.enter("user", 1, "7");
    expect(await here?.enter("user", 1, "7")).toBe(false);
    counter.forgetProcess(2);
    expect(await here?.enter("user", 1, "7")).toBe(true);
  });
});
