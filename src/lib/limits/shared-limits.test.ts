import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startRedisCluster, startSentinelSet } from "../../../test/support/lib/redis/redis-sets.ts";
import { REDIS, startRedis } from "../../../test/support/lib/redis/start-redis.ts";
import { until } from "../../../test/support/lib/until.ts";
import { createLogger } from "../runtime/log.ts";
import { createSharedLimits, type Limiter } from "./shared-limits.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const LIMIT = { count: 3, windowMs: 60_000 };
const HUNDRED = { count: 100, windowMs: 60_000 };
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

  test("two processes share the places of what is under way, and one that gives its place back", async () => {
    const [a, b] = pair();
    const places = await Promise.all(
      Array.from({ length: 40 }, (_, at) => [a, b][at % 2]?.slots?.enter("run", 7, "u")),
    );
    const taken = places.filter((release) => release !== null && release !== undefined);
    expect(taken).toHaveLength(7);
    expect(await b.slots?.enter("run", 7, "other")).toBeFunction();
    taken[0]?.();
    await until(async () => (await b.slots?.enter("run", 7, "u")) !== null);
    expect(await a.slots?.enter("run", 7, "u")).toBeNull();
    for (const limits of [a, b]) limits.close();
    // Nobody who answers: everybody has a place.
    expect(await a.slots?.enter("run", 7, "u")).not.toBeNull();
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

  test("a limit goes on from the last count when redis goes away, and redis learns what was counted without it", async () => {
    let clock = Date.now();
    const options = { timeoutMs: 1000, replicas: () => 2, now: () => clock };
    const processes = [createSharedLimits(redis.url, log, options), createSharedLimits(redis.url, log, options)];
    const limiters = processes.map((limits) => limits.limiter("carried", HUNDRED));
    const take = (count: number) => admitted(limiters, count);
    expect(await take(60)).toBe(60);
    await redis.end();
    const alone = await take(100);
    expect(alone).toBeGreaterThanOrEqual(HUNDRED.count - 60 - 2);
    expect(alone).toBeLessThanOrEqual(HUNDRED.count - 60 + 2);
    // It has forgotten everything.
    await redis.again();
    await until(async () => {
      clock += 6000;
      await Promise.all(limiters.map((limiter) => limiter.check("7")));
      return processes.every((limits) => limits.isAnswering());
    });
    // Each process decides by itself until all must have sent what they counted.
    await Promise.all(limiters.map((limiter) => limiter.check("7")));
    clock += 6000;
    const all = 60 + alone + (await take(20));
    expect(all).toBeGreaterThanOrEqual(HUNDRED.count);
    expect(all).toBeLessThanOrEqual(HUNDRED.count + 2);
    expect(await take(20)).toBe(0);
    for (const limits of processes) limits.close();
  }, 240_000);

  test("an answer that comes late resets no count", async () => {
    const options = { timeoutMs: 50, replicas: () => 2 };
    const processes = [0, 1].map(() => createSharedLimits(redis.url, log, options));
    const limiters = processes.map((limits) => limits.limiter("late", HUNDRED));
    const pauser = new Bun.RedisClient(redis.url);
    let count = await admitted(limiters, 40);
    for (let round = 0; round < 2; round += 1) {
      await pauser.send("CLIENT", ["PAUSE", "600", "ALL"]);
      await until(async () => {
        count += await admitted(limiters, 2);
        return !processes.some((limits) => limits.isAnswering());
      });
      await until(async () => {
        count += await admitted(limiters, 2);
        return processes.every((limits) => limits.isAnswering());
      });
    }
    count += await admitted(limiters, 100);
    expect(count).toBeGreaterThanOrEqual(HUNDRED.count - 2);
    expect(count).toBeLessThanOrEqual(HUNDRED.count + 2);
    pauser.close();
    for (const limits of processes) limits.close();
  }, 240_000);

  test.each(["sentinel", "cluster"] as const)(
    "in a %s set whose master dies a limit stays one",
    async (form) => {
      const set = form === "sentinel" ? await startSentinelSet() : await startRedisCluster();
      const replicas = 2;
      const processes = [0, 1].map(() => createSharedLimits(set.url, log, { replicas: () => replicas }));
      try {
        const limiters = processes.map((limits) => limits.limiter("fails-over", HUNDRED));
        await until(async () => {
          await Promise.all(limiters.map((limiter) => limiter.check("other")));
          return processes.every((limits) => limits.isAnswering());
        });
        let count = await admitted(limiters, 50);
        if ("killMaster" in set) await set.killMaster();
        else await set.killOwner("sluice:limit:fails-over:60000:7");
        // Until the promoted server counts, and for some calls after that.
        const isAway = async () => {
          count += await admitted(limiters, 2);
          return !processes.every((limits) => limits.isAnswering());
        };
        await until(isAway);
        await until(async () => !(await isAway()));
        count += await admitted(limiters, 100);
        expect(count).toBeGreaterThanOrEqual(HUNDRED.count - replicas);
        expect(count).toBeLessThanOrEqual(HUNDRED.count + replicas);
      } finally {
        for (const limits of processes) limits.close();
        await set.close();
      }
    },
    240_000,
  );
});

/** Of so many requests for one key, one after the other and by turns of the processes, those that are admitted. */
async function admitted(limiters: readonly Limiter[], count: number): Promise<number> {
  let taken = 0;
  for (let at = 0; at < count; at += 1) if ((await limiters[at % limiters.length]?.take("7")) === 0) taken += 1;
  return taken;
}
