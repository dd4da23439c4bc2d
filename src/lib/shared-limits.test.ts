import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { createLogger } from "./log.ts";
import { createSharedLimits } from "./shared-limits.ts";

const SERVER = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find(existsSync);
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const LIMIT = { count: 3, windowMs: 60_000 };
/** In the middle of a window, so that no test meets its edge. */
const time = 30_000 + 60_000 * 1000;

describe.if(SERVER !== undefined)("limits shared through redis", () => {
  const port = 20_000 + (process.pid % 20_000);
  const url = `redis://127.0.0.1:${port}`;
  let server: Bun.Subprocess | null = null;
  const start = async () => {
    server = Bun.spawn(
      [SERVER ?? "", "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
      {
        stdio: ["ignore", "ignore", "ignore"],
      },
    );
    await Bun.sleep(400);
  };
  beforeAll(start);
  afterAll(async () => {
    server?.kill();
    await server?.exited;
  });

  test("two processes share one count; looking does not count", async () => {
    const [a, b] = [createSharedLimits(url, log, () => time), createSharedLimits(url, log, () => time)];
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

  test("what one adds all see, past the limit too", async () => {
    const [a, b] = [createSharedLimits(url, log, () => time), createSharedLimits(url, log, () => time)];
    const [here, there] = [a.limiter("added", LIMIT), b.limiter("added", LIMIT)];
    await here.add("7", 2);
    expect(await there.check("7")).toBe(0);
    await there.add("7", 50);
    expect(await here.check("7")).toBeGreaterThan(60);
    a.close();
    b.close();
  });

  test("without redis each process counts for itself, and comes back to it", async () => {
    let clock = time + 120_000;
    const limits = createSharedLimits(url, log, () => clock);
    const limiter = limits.limiter("fallback", LIMIT);
    expect(await limiter.take("7")).toBe(0);
    server?.kill("SIGKILL");
    await server?.exited;
    const began = performance.now();
    expect([await limiter.take("7"), await limiter.take("7"), await limiter.take("7")]).toEqual([0, 0, 0]);
    expect(await limiter.take("7")).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(1500);
    expect(limits.isAnswering()).toBe(false);
    await start();
    for (let tries = 0; tries < 20 && !limits.isAnswering(); tries += 1) {
      clock += 6000;
      await limiter.check("9");
      await Bun.sleep(100);
    }
    expect(limits.isAnswering()).toBe(true);
    limits.close();
  }, 20_000);
});
