import { describe, expect, test } from "bun:test";
import { startRedisCluster, startSentinelSet, startTlsRedis } from "../../../test/support/lib/redis/redis-sets.ts";
import { REDIS } from "../../../test/support/lib/redis/start-redis.ts";
import { until } from "../../../test/support/lib/until.ts";
import { createSharedLimits } from "../limits/shared-limits.ts";
import { createLogger } from "../runtime/log.ts";
import { openRedis } from "./open-redis.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const ONCE = { connectWithinMs: 3000, reconnects: false };
const LIMIT = { count: 20, windowMs: 3_600_000 };

/** So many of a burst over two processes are admitted. */
async function admitted(url: string, key: string): Promise<number> {
  const processes = [0, 1].map(() => createSharedLimits(url, log, { timeoutMs: 10_000 }));
  const limiters = processes.map((limits) => limits.limiter("burst", LIMIT));
  const waits = await Promise.all(Array.from({ length: 200 }, (_, at) => limiters[at % 2]?.take(key)));
  expect(processes.map((limits) => limits.isAnswering())).toEqual([true, true]);
  for (const limits of processes) limits.close();
  return waits.filter((wait) => wait === 0).length;
}

describe.if(REDIS !== undefined)("redis", () => {
  test("over TLS: the server's certificate is checked, and the client shows its own", async () => {
    const redis = await startTlsRedis();
    const address = `rediss://127.0.0.1:${redis.port}`;
    const own = `ssl_certfile=${redis.cert}&ssl_keyfile=${redis.key}`;
    const ping = async (url: string) => {
      const client = openRedis(url, ONCE);
      try {
        await client.connect();
        return await client.send("PING", []);
      } finally {
        client.close();
      }
    };
    expect(await ping(`${address}?ssl_ca_certs=${redis.cert}&${own}`)).toBe("PONG");
    await expect(ping(`${address}?${own}`)).rejects.toThrow();
    await expect(ping(`${address}?ssl_ca_certs=${redis.cert}`)).rejects.toThrow();
    expect(await admitted(`${address}?ssl_ca_certs=${redis.cert}&${own}`, "tls")).toBe(20);
    await redis.close();
  }, 60_000);

  test("limits are exact behind Sentinel, and follow the new master", async () => {
    const set = await startSentinelSet();
    expect(await admitted(set.url, "first")).toBe(20);
    let clock = 0;
    // A busy machine takes longer to find the master than the usual 250 ms.
    const limits = createSharedLimits(set.url, log, { now: () => clock, timeoutMs: 2000 });
    const limiter = limits.limiter("kept", LIMIT);
    await until(async () => {
      clock += 6000;
      await limiter.take("7");
      return limits.isAnswering();
    });
    await set.killMaster();
    await until(async () => {
      clock += 6000;
      await limiter.check("7");
      return !limits.isAnswering();
    });
    await set.waitForPromotion();
    await until(async () => {
      clock += 6000;
      await limiter.take("7");
      return limits.isAnswering();
    });
    expect(await admitted(set.url, "second")).toBe(20);
    limits.close();
    await set.close();
  }, 120_000);

  test("limits are exact in a cluster, whichever node has the key, and follow a fail-over", async () => {
    const cluster = await startRedisCluster();
    for (const key of ["a", "b", "c", "d"]) expect(await admitted(cluster.url, key)).toBe(20);
    const limits = createSharedLimits(cluster.url, log, { timeoutMs: 1000 });
    const limiter = limits.limiter("kept", LIMIT);
    expect(await limiter.take("7")).toBe(0);
    await cluster.killOwner(`sluice:limit:kept:${LIMIT.windowMs}:7`);
    limits.close();
    await until(async () => {
      const after = createSharedLimits(cluster.url, log, { timeoutMs: 1000 });
      const wait = await after.limiter("kept", { ...LIMIT, count: 1 }).take("7");
      const isAnswering = after.isAnswering();
      after.close();
      return isAnswering && wait > 0;
    });
    expect(await admitted(cluster.url, "7")).toBe(20);
    await cluster.close();
  }, 120_000);
});
