import { describe, expect, test } from "bun:test";
import { REDIS, startRedis } from "../../../test/support/lib/redis/start-redis.ts";
import { openTcpGate } from "../../../test/support/lib/tcp-gate.ts";
import { until } from "../../../test/support/lib/until.ts";
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
    // Somebody who writes to Redis gives no key the text of another, and cuts none.
    const cipher = String(await plain.send("GET", ["sluice:text:k"]));
    await plain.send("SET", ["sluice:text:other", cipher]);
    await plain.send("SET", ["sluice:text:cut", cipher.slice(0, -8)]);
    await plain.send("SET", ["sluice:text:plain", "an answer"]);
    await plain.send("HSET", ["sluice:text:list", "a", "an answer"]);
    for (const key of ["other", "cut", "plain", "list"]) expect(await two?.get(key)).toBeNull();
    for (const texts of [one, two, other]) texts?.close();
    plain.close();
    await redis.end();
  });

  test("have turns: one process at a time, until it ends or is silent", async () => {
    const redis = await startRedis();
    const texts = createSharedTexts(redis.url, VAULT, log);
    expect(await texts.isClaimed("k")).toBe(false);
    expect([await texts.claim("k", "one", 200), await texts.claim("k", "two", 200)]).toEqual([true, false]);
    expect(await texts.claim("k", "one", 200)).toBe(true);
    await texts.release("k", "two");
    expect(await texts.isClaimed("k")).toBe(true);
    await texts.release("k", "one");
    expect(await texts.claim("k", "two", 50)).toBe(true);
    await Bun.sleep(100);
    expect(await texts.isClaimed("k")).toBe(false);
    texts.close();
    await redis.end();
  });

  test("cost no call its time while Redis is silent: one waits, the others go on at once", async () => {
    const redis = await startRedis();
    const gate = await openTcpGate({ hostname: "127.0.0.1", port: Number(new URL(redis.url).port) });
    const texts = createSharedTexts(`redis://127.0.0.1:${gate.port}`, VAULT, log);
    await texts.set("k", "an answer", 60);
    gate.freeze();
    const startMs = performance.now();
    expect(await texts.get("k")).toBeNull();
    const waitedMs = performance.now() - startMs;
    for (let i = 0; i < 100; i += 1)
      expect([await texts.get("k"), await texts.claim("k", "one", 50)]).toEqual([null, null]);
    expect(waitedMs).toBeLessThan(600);
    expect(performance.now() - startMs - waitedMs).toBeLessThan(200);
    gate.thaw();
    await until(
      () => texts.get("k"),
      (text) => text === "an answer",
    );
    texts.close();
    gate.shut();
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
