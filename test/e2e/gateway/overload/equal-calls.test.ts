/** Equal calls at once with the response cache: one upstream call for all, and each charged once, whatever ends in the middle. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChargedRow, chargesOf } from "../../../support/billing/books.ts";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  setOptions,
} from "../../../support/e2e/console-client.ts";
import { type Gateway, type Session, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { REDIS, startRedis } from "../../../support/lib/redis/start-redis.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

const MODEL = "gpt-4o";
const QUOTA = 50_000_000;
/** (1000 + 500) × a ratio of 1, and a tenth of it. */
const [MADE, HIT] = [1500, 150];

/** Prompts of requests in the order in which they came. */
const received: string[] = [];
/** Prompts whose first request fails, and those that wait. */
let failing = new Set<string>();
let gate = Promise.resolve();
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
  async fetch(request) {
    const { messages } = (await request.json()) as { messages: { content: string }[] };
    const prompt = messages[0]?.content ?? "";
    received.push(prompt);
    const fails = failing.delete(prompt);
    await gate;
    if (fails) return Response.json({ error: { message: "out of order", type: "server_error" } }, { status: 500 });
    return Response.json({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: MODEL },
      choices: [{ index: 0, message: { role: "assistant", content: `Hello, ${prompt}` }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    });
  },
});
const countOf = (prompt: string) => received.filter((each) => each === prompt).length;

afterAll(() => upstream.stop(true));

const VARIANTS = [
  { name: "one process on the embedded database", workers: 1, isServer: false },
  ...(REDIS ? [{ name: "two workers on Postgres with Redis", workers: 2, isServer: true }] : []),
];

describe.each(VARIANTS)("$name", ({ workers, isServer }) => {
  let gateway: Gateway;
  let root: Session;
  let userId = 0;
  let key = "";
  let env: Record<string, string> = { WORKERS: String(workers) };
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    received.splice(0);
    if (isServer) {
      const [database, redis] = [await startTemporaryPostgres({ durable: true }), await startRedis()];
      ends.push(() => database.stop(), redis.end);
      env = { ...env, DATABASE_URL: database.url, REDIS_URL: redis.url };
    }
    gateway = await startGateway({ env });
    root = await setUp(gateway);
    await createChannel(root, `http://127.0.0.1:${upstream.port}`, [MODEL]);
    await setOptions(root, {
      ...{ ResponseCacheEnabled: true, ResponseCacheHitPercent: 10, ResponseCacheStore: isServer ? "redis" : "memory" },
      ...{ ModelRatio: { [MODEL]: 1 }, CompletionRatio: { [MODEL]: 1 }, RetryTimes: 0 },
    });
    await root.post("/api/user/", { username: "owner", password: "some-password-1" });
    const user = await login(gateway, "owner", "some-password-1");
    userId = user.userId;
    await root.put("/api/user/", { id: userId, quota: QUOTA });
    ({ key } = await createApiKey(user));
    // Each worker has the settings, and a connection to Redis.
    for (let equal = 0; equal < 8; equal = await warmUp(equal));
  }, 120_000);
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    for (const end of ends) await end();
  }, 60_000);

  /** Each on a connection of its own, so that the system chooses the worker. Resolves with the status; 0: no answer. */
  const ask = (prompt: string, signal?: AbortSignal): Promise<number> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: prompt }] }),
      ...(signal && { signal }),
    }).then(
      async (response) => {
        const text = await response.text();
        if (response.status === 200) expect(text).toContain(`Hello, ${prompt}`);
        return response.status;
      },
      () => 0,
    );
  const askMany = (count: number, prompt: string) => Array.from({ length: count }, () => ask(prompt));
  let warmUps = 0;
  /** Calls one after the other are answered by one: how many times in a row so far. */
  async function warmUp(equal: number): Promise<number> {
    await Promise.all(askMany(8, `warm ${warmUps}`));
    const isOne = countOf(`warm ${warmUps++}`) === 1;
    return isOne ? equal + 1 : 0;
  }
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };

  const sumOf = (rows: readonly ChargedRow[]) => rows.reduce((total, { quota }) => total + quota, 0);
  /** Waits until so many calls are charged; each hit and each other call costs what the operator set, and the books agree. */
  async function audit(expected: (count: number) => boolean): Promise<{ made: number; hits: number }> {
    const { rows } = await until(
      async () => ({ rows: await chargesOf(root, "owner"), user: await root.get(`/api/user/${userId}`) }),
      ({ rows, user }) =>
        expected(rows.length) && user.quota === QUOTA - sumOf(rows) && user.used_quota === sumOf(rows),
    );
    const hits = rows.filter(({ other }) => other.includes('"age_seconds"'));
    for (const { quota, other } of rows) {
      const isHit = other.includes('"age_seconds"');
      expect([isHit, quota, other.includes('"cacheHitPercent":10')]).toEqual([isHit, isHit ? HIT : MADE, isHit]);
    }
    const days: { hits: number; saved: number; tokens: number }[] = await root.get("/api/response_cache/");
    const total = (name: "hits" | "saved" | "tokens") => days.reduce((all, day) => all + day[name], 0);
    expect([total("hits"), total("saved"), total("tokens")]).toEqual([
      hits.length,
      hits.length * (MADE - HIT),
      hits.length * 1500,
    ]);
    return { made: rows.length - hits.length, hits: hits.length };
  }

  test("one call is made for all, also when the first is left or fails, and after a kill each is charged once", async () => {
    let release = hold();
    const equal = askMany(40, "a");
    await until(() => countOf("a") > 0);
    await Bun.sleep(500);
    release();
    expect(new Set(await Promise.all(equal))).toEqual(new Set([200]));
    expect(countOf("a")).toBe(1);
    const before = 8 * warmUps;
    const first = await audit((count) => count === before + 40);

    // Its client leaves: one of the others takes over.
    release = hold();
    const leaving = new AbortController();
    const left = ask("b", leaving.signal);
    await until(() => countOf("b") === 1);
    const others = askMany(10, "b");
    await Bun.sleep(500);
    leaving.abort();
    await left;
    await until(() => countOf("b") > 1);
    await Bun.sleep(500);
    release();
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
    expect(countOf("b")).toBeLessThanOrEqual(1 + workers);
    const second = await audit((count) => count === before + 50);
    expect(second.made - first.made).toBeLessThanOrEqual(workers);

    // It fails: the others are made.
    failing = new Set(["c"]);
    release = hold();
    const failed = askMany(10, "c");
    await until(() => countOf("c") > 0);
    await Bun.sleep(500);
    release();
    const statuses = await Promise.all(failed);
    expect(statuses.filter((status) => status === 200)).toHaveLength(9);
    await audit((count) => count === before + 59);

    // Everything dies while some wait and others are answered.
    release = hold();
    const waiting = askMany(20, "d");
    await until(() => countOf("d") > 0);
    const hits = askMany(60, "a");
    const answered = Promise.all(hits.slice(0, 20));
    await answered;
    await gateway.stop("SIGKILL");
    release();
    const served = (await Promise.all([...waiting, ...hits])).filter((status) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(20);
    gateway = await startGateway({ env, dataDir: gateway.dataDir });
    root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    await audit((count) => count >= before + 59 + served);
    // What a killed process was about to bring is waited for no longer than its lease.
    const startedMs = performance.now();
    expect(await ask("d")).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  }, 180_000);
});
