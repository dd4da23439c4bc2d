import { describe, expect, test } from "bun:test";
import { type CountQuestion, createHostLimits, createHostSlots, HostCounter, type HostSlots } from "./host-limits.ts";

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
  const enter = async (slots: HostSlots | undefined, count: number, key: string) =>
    (await slots?.enter("user", count, key)) ?? null;

  test("no more are taken than there are, whichever process takes them", async () => {
    const [here, there] = startHost().asks.map(createHostSlots);
    const places = [await enter(here, 2, "7"), await enter(there, 2, "7")];
    expect(places).not.toContain(null);
    expect(await enter(here, 2, "7")).toBeNull();
    expect(await enter(here, 2, "8")).not.toBeNull();
    places[1]?.();
    expect(await enter(here, 2, "7")).not.toBeNull();
  });

  test("a process that ends leaves its places", async () => {
    const { counter, asks } = startHost();
    const [here, there] = asks.map(createHostSlots);
    await enter(there, 1, "7");
    expect(await enter(here, 1, "7")).toBeNull();
    counter.forgetProcess(2);
    expect(await enter(here, 1, "7")).not.toBeNull();
  });

  test("a place that nobody counted takes none from those that were counted", async () => {
    const { asks } = startHost();
    let isSilent = true;
    const slots = createHostSlots((question) => (isSilent ? Promise.reject(new Error("silent")) : asks[0](question)));
    const uncounted = await enter(slots, 1, "7");
    isSilent = false;
    expect(await enter(slots, 1, "7")).not.toBeNull();
    uncounted?.();
    expect(await enter(slots, 1, "7")).toBeNull();
  });
});
