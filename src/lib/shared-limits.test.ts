import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createLogger } from "./log.ts";
import { createSharedLimits } from "./shared-limits.ts";
import { until } from "./testing/until.ts";
import { REDIS, startRedis } from "./testing-redis.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const LIMIT = { count: 3, windowMs: 60_000 };
/** In the middle of a window, so that no test meets its edge. */
const time = 30_000 + 60_000 * 1000;

describe.if(REDIS !== undefined)("limits shared through redis", () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  }, 240_000);
  afterAll(() => redis.end());

  /** Two processes; on a busy machine redis may take its time. */
  const pair = () => {
    const options = { now: () => time, timeoutMs: 10_000 };
    return [createSharedLimits(redis.url, log, options), createSharedLimits(redis.url, log, options)] as const;
  };

  test("two processes share one count; looking does not count", async () => {
    const [a, b] = pair();
    const [here, there] = [a.limiter("calls", LIMIT), b.limiter("calls", LIMIT)];
    expect(await here.check("7")).toBe(0);
    expect([await here.take("7"), await there.take("7"), await here.take("7")]).toEqual([0, 0, 0]);
    expect(await there.check("7")).toBeGreaterThan(0);
    expect(await there.take("7")).toBeGreaterThan(0);
    expect(await there.take("8")).toBe(0);
    expect(a.isAnswering() && b.isAnswering()).toBe(true);
    a.close();
    b.close();
  });

  test("what one adds all see, past the limit too, and what one forgets all forget", async () => {
    const [a, b] = pair();
    const [here, there] = [a.limiter("added", LIMIT), b.limiter("added", LIMIT)];
    await here.add("7", 2);
    expect(await there.check("7")).toBe(0);
    await there.add("7", 50);
    expect(await here.check("7")).toBeGreaterThan(60);
    await here.forget("7");
    expect(await there.check("7")).toBe(0);
    a.close();
    b.close();
  });

  test("without redis each process counts for itself, and comes back to it", async () => {
    let clock = time + 120_000;
    const limits = createSharedLimits(redis.url, log, { now: () => clock });
    const limiter = limits.limiter("fallback", LIMIT);
    await redis.end();
    expect([await limiter.take("7"), await limiter.take("7"), await limiter.take("7")]).toEqual([0, 0, 0]);
    expect(await limiter.take("7")).toBeGreaterThan(0);
    expect(limits.isAnswering()).toBe(false);
    await redis.again();
    await until(async () => {
      clock += 6000;
      await limiter.check("9");
      return limits.isAnswering();
    });
    limits.close();
  }, 240_000);
});
