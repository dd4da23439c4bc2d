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

  test("a burst at a window's end does not double at the next one's start", () => {
    let time = 1_009_999;
    const limiter = createRateLimiter({ count: 4, windowMs: 10_000 }, { now: () => time });
    for (let i = 0; i < 4; i += 1) limiter.take("a");
    time = 1_010_001;
    expect(limiter.take("a")).toBeGreaterThan(0);
    time = 1_015_001;
    expect([1, 2, 3].map(() => limiter.take("a") > 0)).toEqual([false, false, true]);
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
    expect(wait).toBeGreaterThan(10);
    time += (wait - 2) * 1000;
    expect(limiter.check("a")).toBeGreaterThan(0);
    time += 2000;
    expect(limiter.check("a")).toBe(0);
  });
});
