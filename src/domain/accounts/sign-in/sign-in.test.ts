import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { REDIS, startRedis } from "../../../../test/support/lib/redis/start-redis.ts";
import { createSharedLimits } from "../../../lib/limits/shared-limits.ts";
import { createLogger } from "../../../lib/runtime/log.ts";
import { countGuess } from "./confirm-owner.ts";
import { createSignInLimiter } from "./sign-in.ts";

describe.if(REDIS !== undefined)("tries to sign in, with redis", () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  }, 240_000);
  afterAll(() => redis.end());

  test("are counted together by all processes, and forgotten by all once one was right", async () => {
    const log = createLogger({ logLevel: "silent", logFormat: "json" });
    // In the middle of a window of ten minutes.
    const options = { now: () => 300_000 + 600_000 * 1000, timeoutMs: 10_000 };
    const [a, b] = [createSharedLimits(redis.url, log, options), createSharedLimits(redis.url, log, options)];
    const [here, there] = [createSignInLimiter(a), createSignInLimiter(b)];
    for (let tries = 0; tries < 5; tries += 1) {
      await countGuess(here, "ann");
      await countGuess(there, "ann");
    }
    for (const limiter of [here, there]) await expect(countGuess(limiter, "ann")).rejects.toThrow("login_throttled");
    await there.forget("ann");
    await countGuess(here, "ann");
    a.close();
    b.close();
  });
});
