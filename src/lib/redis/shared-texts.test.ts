import { describe, expect, test } from "bun:test";
import { REDIS, startRedis } from "../../../test/support/lib/redis/start-redis.ts";
import { createLogger } from "../runtime/log.ts";
import { createVault } from "../security/crypto.ts";
import { openRedis } from "./open-redis.ts";
import { createSharedTexts } from "./shared-texts.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const VAULT = createVault({ encryptionKey: "a key of tests" });

describe.if(REDIS !== undefined)("texts that replicas share", () => {
  test("are shared, encrypted, and end; another site's key reads none", async () => {
    const redis = await startRedis();
    const [one, two] = [VAULT, createVault({ encryptionKey: "a key of tests" })].map((vault) =>
      createSharedTexts(redis.url, vault, log),
    );
    const other = createSharedTexts(redis.url, createVault({ encryptionKey: "another key" }), log);
    const plain = openRedis(redis.url, { connectWithinMs: 3000, reconnects: false });
    await plain.connect();
    await one?.set("k", "an answer", 1);
    expect(await two?.get("k")).toBe("an answer");
    expect(await other.get("k")).toBeNull();
    expect(String(await plain.send("GET", ["sluice:text:k"]))).not.toContain("answer");
    expect(Number(await plain.send("TTL", ["sluice:text:k"]))).toBe(1);
    for (const texts of [one, two, other]) texts?.close();
    plain.close();
    await redis.end();
  });

  test("are none while Redis is away, soon, and there again with it", async () => {
    const redis = await startRedis();
    const texts = createSharedTexts(redis.url, VAULT, log);
    await texts.set("k", "an answer", 60);
    await redis.end();
    const start = performance.now();
    expect(await texts.get("k")).toBeNull();
    await texts.set("k", "another", 60);
    expect(performance.now() - start).toBeLessThan(2000);
    await redis.again();
    let read: string | null = null;
    for (let tries = 0; tries < 40 && read === null; tries += 1) {
      await texts.set("k", "another", 60);
      read = await texts.get("k");
      if (read === null) await Bun.sleep(100);
    }
    expect(read).toBe("another");
    texts.close();
    await redis.end();
  });
});
