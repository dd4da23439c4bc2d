import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApiKey, createChannel, login } from "../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";
import { startToolServer } from "../gateway/mcp/tool-server.ts";

/**
 * Postgres is shut down under load and started again. OUTAGE_SECONDS (default 20) and OUTAGE_CALLS_PER_SECOND (default 20)
 * make it longer and busier.
 */

const OUTAGE_S = Number(process.env.OUTAGE_SECONDS ?? 20);
const CALLS_PER_SECOND = Number(process.env.OUTAGE_CALLS_PER_SECOND ?? 20);
const MODEL = "gpt-4o";
const PASSWORD = "a-long-password";
const USERS = 10;
/** So much is held for a call: one unit a token of the longest answer, and the prompt. */
const CALL = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
const POOR_QUOTA = 1000;

let postgres: TemporaryPostgres;
let upstream: FakeUpstream;
const tools = startToolServer();

beforeAll(async () => {
  postgres = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
});
afterAll(async () => {
  await upstream.stop();
  tools.stop();
  await postgres.stop();
});

type Outcome = Readonly<{ status: number; code: string; retryAfter: string | null }>;

async function callWith({ url }: Gateway, key: string): Promise<Outcome> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(CALL),
    signal: AbortSignal.timeout(30_000),
  });
  const answer = (await reply.json()) as { error?: { code?: string } };
  return { status: reply.status, code: answer.error?.code ?? "", retryAfter: reply.headers.get("retry-after") };
}

async function callTool({ url }: Gateway, key: string): Promise<string> {
  const params = { name: "act", arguments: { id: "in-outage", manner: "ok" } };
  const reply = await fetch(`${url}/mcp/site`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  return await reply.text();
}

async function booksIn(url: string) {
  const sql = new Bun.SQL(url, { max: 1 });
  const [books] = await sql`select
    (select count(*)::int from logs where type = 2 and not failed) as rows,
    (select count(distinct request_id)::int from logs where type = 2 and not failed) as requests,
    (select coalesce(sum(quota), 0)::int from logs where type = 2) as logged,
    (select coalesce(sum(uncovered), 0)::int from logs where type = 2) as uncovered,
    (select sum(used_quota)::int from users) as used,
    (select sum(used_quota)::int from tokens) as "usedByKeys",
    (select sum(used_quota)::int from channels) as "usedByChannels",
    (select min(quota)::int from users) as "lowestBalance",
    (select sum(quota)::int from users) as balances`;
  await sql.close();
  return books;
}

test(
  "calls of users with balance go on, also of users that have never called, and the books are exact afterwards",
  async () => {
    const databaseUrl = await postgres.createDatabase();
    const gateway = await startGateway({ env: { DATABASE_URL: databaseUrl } });
    const root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL]);
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    const addUser = async (username: string, quota: number) => {
      await root.post("/api/user/", { username, password: PASSWORD, display_name: username });
      const user = await login(gateway, username, PASSWORD);
      await root.put("/api/user/", { id: user.userId, username, quota });
      return user;
    };
    const keys: string[] = [];
    for (let number = 0; number < USERS; number++) {
      const user = await addUser(`user${number}`, 50_000_000);
      const limit = { unlimited_quota: false, remain_quota: 40_000_000 };
      keys.push((await createApiKey(user, number % 2 ? limit : {})).key);
    }
    const { key: poorKey } = await createApiKey(await addUser("poor", POOR_QUOTA));
    // Half of the users have called before.
    for (const key of keys.slice(0, USERS / 2)) expect((await callWith(gateway, key)).status).toBe(200);
    let delivered = USERS / 2;
    const before = await booksIn(databaseUrl);

    const outcomes: Outcome[] = [];
    const running = new Set<Promise<void>>();
    let isLoading = true;
    const load = (async () => {
      for (let call = 0; isLoading; call++) {
        const made = callWith(gateway, keys[call % USERS] as string).then(
          (outcome) => void outcomes.push(outcome),
          (error) => void outcomes.push({ status: 0, code: String(error), retryAfter: null }),
        );
        running.add(made);
        void made.finally(() => running.delete(made));
        await Bun.sleep(1000 / CALLS_PER_SECOND);
      }
    })();
    await until(() => outcomes.length > CALLS_PER_SECOND);
    await postgres.shutDown();
    const down = performance.now();
    const atStart = outcomes.length;

    const poor: Outcome[] = [];
    await until(async () => {
      poor.push(await callWith(gateway, poorKey));
      return poor.at(-1)?.status !== 200;
    });
    const ready = await fetch(`${gateway.url}/readyz`);
    expect(await ready.json()).toMatchObject({ status: "degraded" });
    expect(ready.status).toBe(200);

    await Bun.sleep(Math.max(0, OUTAGE_S * 1000 - (performance.now() - down)));
    const inOutage = outcomes.length - atStart;
    await postgres.startAgain();
    const atReturn = outcomes.length;
    await until(() => outcomes.length > atReturn + 2 * CALLS_PER_SECOND);
    isLoading = false;
    await load;
    await Promise.all(running);

    const served = outcomes.filter(({ status }) => status === 200).length;
    const refused = outcomes.filter(({ status }) => status !== 200);
    const report = { calls: outcomes.length, inOutage, served, refused: refused.slice(0, 5) };
    if (process.env.OUTAGE_SECONDS) process.stdout.write(`${JSON.stringify({ ...report, poor: poor.length })}\n`);
    expect({ ...report, share: served / outcomes.length >= 0.999 }).toEqual({ ...report, share: true });
    // The only process spends all of a small balance, and says so when it is spent.
    const poorServed = poor.filter(({ status }) => status === 200).length;
    expect(poorServed).toBeGreaterThan(0);
    expect(poor.at(-1)).toMatchObject({ status: 429, code: "insufficient_quota" });

    delivered += served + poorServed;
    expect(await gateway.stop()).toBe(0);
    const books = await booksIn(databaseUrl);
    expect(books).toMatchObject({ rows: delivered, requests: delivered, uncovered: 0 });
    expect(books).toMatchObject({ used: books.logged, usedByKeys: books.logged, usedByChannels: books.logged });
    expect(books.lowestBalance).toBeGreaterThanOrEqual(0);
    expect(before.balances + before.used - books.balances).toBe(books.logged);
  },
  (OUTAGE_S + 150) * 1000,
);

test("a gateway that starts without Postgres serves what it knew last, and the books are exact afterwards", async () => {
  const databaseUrl = await postgres.createDatabase();
  const env = { DATABASE_URL: databaseUrl };
  const first = await startGateway({ env });
  const { dataDir } = first;
  const root = await setUp(first);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelRatio", { [MODEL]: 1 });
  const addUser = async (username: string, quota: number) => {
    await root.post("/api/user/", { username, password: PASSWORD, display_name: username });
    const user = await login(first, username, PASSWORD);
    await root.put("/api/user/", { id: user.userId, username, quota });
    return user;
  };
  const { key: richKey } = await createApiKey(await addUser("rich", 50_000_000), {
    unlimited_quota: false,
    remain_quota: 40_000_000,
  });
  const { key: poorKey } = await createApiKey(await addUser("poor", POOR_QUOTA));
  const { id } = await root.post("/api/mcp-server/", {
    ...{ name: "site", server: { url: tools.url } },
  });
  const listed: { name: string; hash: string }[] = await root.get(`/api/mcp-server/${id}/tools`);
  await root.post(`/api/mcp-server/${id}/tools/approve`, { tools: listed.map(({ name, hash }) => ({ name, hash })) });
  let delivered = 0;
  const callAll = async (gateway: Gateway, key: string, count: number) => {
    for (let call = 0; call < count; call++) {
      expect((await callWith(gateway, key)).status).toBe(200);
      delivered += 1;
    }
  };
  await callAll(first, richKey, 3);
  await callAll(first, poorKey, 1);
  // In the database, and still in the journal's file: the next process must not count them twice.
  const before = await until(
    () => booksIn(databaseUrl),
    ({ rows }) => rows === delivered,
  );

  await postgres.shutDown();
  const snapshot = Bun.file(`${dataDir}/outage-snapshot`);
  const down = Date.now();
  await callAll(first, richKey, 5);
  await until(async () => (await snapshot.exists()) && (await snapshot.stat()).mtimeMs > down);
  await callAll(first, poorKey, 1);
  expect((await snapshot.text()).includes("sk-upstream-key")).toBe(false);
  await first.stop("SIGKILL");

  // Killed once more: its charges wait in one more journal.
  const second = await startGateway({ env, dataDir });
  await callAll(second, richKey, 5);
  await callAll(second, poorKey, 1);
  await second.stop("SIGKILL");

  const third = await startGateway({ env, dataDir });
  const ready = await fetch(`${third.url}/readyz`);
  const { status, degraded } = (await ready.json()) as { status: string; degraded: string[] };
  expect([ready.status, status]).toEqual([200, "degraded"]);
  expect(degraded.join("\n")).toMatch(/snapshot: served from what was known \d+ s ago/);
  expect((await fetch(`${third.url}/api/status`)).status).toBe(503);
  expect((await callWith(third, "sk-nobodyhasthiskey")).status).toBe(503);
  await callAll(third, richKey, 5);
  // MCP servers are in the snapshot too.
  expect(await callTool(third, richKey)).toContain("did in-outage");
  delivered += 1;
  const poor: Outcome[] = [];
  await until(async () => {
    poor.push(await callWith(third, poorKey));
    return poor.at(-1)?.status !== 200;
  });
  expect(poor.at(-1)).toMatchObject({ status: 429, code: "insufficient_quota" });
  delivered += poor.length - 1;

  // Calls go on while the database comes back.
  let isLoading = true;
  const load = (async () => {
    while (isLoading) await callAll(third, richKey, 1);
  })();
  await postgres.startAgain();
  await until(async () => (await fetch(`${third.url}/api/status`)).status === 200);
  isLoading = false;
  await load;
  await callAll(third, richKey, 3);
  expect((await callWith(third, poorKey)).status).toBe(429);

  expect(await third.stop()).toBe(0);
  const books = await booksIn(databaseUrl);
  expect(books).toMatchObject({ rows: delivered, requests: delivered, uncovered: 0 });
  expect(books).toMatchObject({ used: books.logged, usedByKeys: books.logged, usedByChannels: books.logged });
  expect(books.lowestBalance).toBeGreaterThanOrEqual(0);
  expect(before.balances + before.used - books.balances).toBe(books.logged);
}, 180_000);
