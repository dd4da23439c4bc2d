import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { REDIS, startRedis } from "../../../test/support/lib/redis/start-redis.ts";
import { until } from "../../../test/support/lib/until.ts";
import { createLogger } from "../runtime/log.ts";
import { createSharedLimits } from "./shared-limits.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const LIMIT = { count: 3, windowMs: 60_000 };
/** Right before the edge of a minute. */
const time = 59_999 + 60_000 * 1000;

describe.if(REDIS !== undefined)("limits shared through redis", () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  }, 240_000);
  afterAll(() => redis.end());

  /** Two processes; on a busy machine redis may take its time. */
  const pair = (clock?: () => number) => {
    const options = { ...(clock && { clock }), timeoutMs: 10_000 };
    return [createSharedLimits(redis.url, log, options), createSharedLimits(redis.url, log, options)] as const;
  };

  test("calls in parallel on two processes at the edge of a minute are admitted exactly", async () => {
    let clock = time;
    const processes = pair(() => clock);
    const limiters = processes.map((limits) => limits.limiter("edge", { count: 20, windowMs: 60_000 }));
    const burst = async () => {
      const waits = await Promise.all(Array.from({ length: 200 }, (_, at) => limiters[at % 2]?.take("7")));
      return { admitted: waits.filter((wait) => wait === 0).length, wait: waits.find((wait) => wait !== 0) ?? 0 };
    };
    expect(await burst()).toEqual({ admitted: 20, wait: 61 });
    clock += 2;
    expect(await burst()).toEqual({ admitted: 0, wait: 60 });
    clock += 59_998;
    expect(await burst()).toEqual({ admitted: 0, wait: 1 });
    clock += 1;
    expect(await burst()).toMatchObject({ admitted: 20 });
    for (const limits of processes) limits.close();
  });

  test("by the server's own time too", async () => {
    const processes = pair();
    const limiters = processes.map((limits) => limits.limiter("server-time", { count: 20, windowMs: 3_600_000 }));
    const waits = await Promise.all(Array.from({ length: 100 }, (_, at) => limiters[at % 2]?.take("7") ?? 0));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
    const wait = Math.max(...waits);
    expect(wait).toBeGreaterThan(3590);
    expect(wait).toBeLessThanOrEqual(3780);
    for (const limits of processes) limits.close();
  });

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
    expect(await here.check("7")).toBeGreaterThanOrEqual(60);
    await here.forget("7");
    expect(await there.check("7")).toBe(0);
    a.close();
    b.close();
  });

  test("what one gives back another may take", async () => {
    const [a, b] = pair();
    const [here, there] = [a.limiter("given", LIMIT), b.limiter("given", LIMIT)];
    await here.giveBack("7");
    for (let at = 0; at < LIMIT.count; at += 1) expect(await here.take("7")).toBe(0);
    expect(await there.take("7")).toBeGreaterThan(0);
    await here.giveBack("7");
    expect(await there.take("7")).toBe(0);
    expect(await there.take("7")).toBeGreaterThan(0);
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
