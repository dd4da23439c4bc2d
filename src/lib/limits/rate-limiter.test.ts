import { describe, expect, test } from "bun:test";
import { createRateLimiter } from "./rate-limiter.ts";

describe("rate limiter", () => {
  test("lets `count` requests through and says when the next may come", () => {
    let time = 1_000_000;
    const limiter = createRateLimiter({ count: 3, windowMs: 10_000 }, { now: () => time });
    expect([1, 2, 3].map(() => limiter.take("a"))).toEqual([0, 0, 0]);
    const wait = limiter.take("a");
    expect(wait).toBeGreaterThan(0);
    expect(limiter.take("b")).toBe(0);
    time += wait * 1000;
    expect(limiter.take("a")).toBe(0);
  });

  test.each([0, 1, 2999, 29_500, 59_999])("a burst %d ms into a minute is all that a minute has", (offset) => {
    let time = 60_000 * 1000 + offset;
    const limiter = createRateLimiter({ count: 20, windowMs: 60_000 }, { now: () => time });
    const admitted = () => Array.from({ length: 200 }, () => limiter.take("a")).filter((wait) => wait === 0).length;
    expect(admitted()).toBe(20);
    for (let waited = 0; waited < 60; waited += 1) {
      expect(admitted()).toBe(0);
      time += 1000;
    }
    time += 3000;
    expect(admitted()).toBe(20);
  });

  test("no window holds more than the limit, wherever it begins, and a wait is as long as announced", () => {
    const limit = { count: 7, windowMs: 10_000 };
    let seed = 11;
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    let time = 1_000_000;
    const limiter = createRateLimiter(limit, { now: () => time });
    const admitted: number[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      time += random(8) === 0 ? random(12_000) : random(400);
      const wait = limiter.take("a");
      if (wait === 0) {
        admitted.push(time);
        const first = admitted.at(-1 - limit.count);
        if (first !== undefined) expect(time - first).toBeGreaterThanOrEqual(limit.windowMs);
      } else {
        // The first second that is long enough: not the one before it.
        const requests = time;
        time = requests + (wait - 1) * 1000;
        if (wait > 1) expect(limiter.check("a")).toBe(1);
        time = requests + wait * 1000;
        expect(limiter.check("a")).toBe(0);
        expect(wait).toBeLessThanOrEqual(11);
      }
    }
    expect(admitted.length).toBeGreaterThan(1000);
  });

  test("what is released may be taken again, and no window ever holds more than the limit", () => {
    const limit = { count: 7, windowMs: 10_000 };
    let seed = 5;
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    let time = 1_000_000;
    const limiter = createRateLimiter(limit, { now: () => time });
    limiter.giveBack("a");
    for (let step = 0; step < 7; step += 1) expect(limiter.take("a")).toBe(0);
    expect(limiter.take("a")).toBeGreaterThan(0);
    limiter.giveBack("a");
    expect([limiter.take("a"), limiter.take("a")]).toEqual([0, expect.any(Number)]);
    /** When those that still count were admitted. */
    let counted: number[] = [];
    time += 60_000;
    for (let step = 0; step < 20_000; step += 1) {
      time += random(8) === 0 ? random(4000) : random(300);
      counted = counted.filter((at) => at > time - limit.windowMs);
      if (limiter.take("a") === 0) counted.push(time);
      if (random(3) === 0 && counted.length > 0) {
        limiter.giveBack("a");
        counted.splice(random(counted.length), 1);
      }
      expect(counted.length).toBeLessThanOrEqual(limit.count);
    }
  });

  test("a clock that is set back forgets nothing", () => {
    let time = 1_000_000;
    const limiter = createRateLimiter({ count: 1, windowMs: 10_000 }, { now: () => time });
    limiter.take("a");
    time -= 60_000;
    expect(limiter.take("a")).toBeGreaterThan(0);
  });

  test("refused requests do not prolong the wait", () => {
    let time = 1_000_000;
    const limiter = createRateLimiter({ count: 2, windowMs: 10_000 }, { now: () => time });
    for (let i = 0; i < 50; i += 1) limiter.take("a");
    time += 20_000;
    expect(limiter.take("a")).toBe(0);
  });

  test("memory is bounded: the longest unused key goes", () => {
    const limiter = createRateLimiter({ count: 1, windowMs: 10_000 }, { maxKeys: 2, now: () => 5 });
    for (const key of ["a", "b", "c"]) limiter.take(key);
    expect(limiter.check("a")).toBe(0);
    expect(limiter.check("c")).toBeGreaterThan(0);
  });

  test("what is added counts, past the limit too", () => {
    let time = 1_000_000;
    const limiter = createRateLimiter({ count: 100, windowMs: 10_000 }, { now: () => time });
    limiter.add("a", 99);
    expect(limiter.check("a")).toBe(0);
    limiter.add("a", 300);
    const wait = limiter.check("a");
    expect(wait).toBeGreaterThanOrEqual(10);
    time += (wait - 1) * 1000;
    expect(limiter.check("a")).toBeGreaterThan(0);
    time += 1000;
    expect(limiter.check("a")).toBe(0);
  });
});
