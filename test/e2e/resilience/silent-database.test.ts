import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApiKey, createChannel, login } from "../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  type Session,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { type SilentProxy, startSilentProxy } from "../../support/processes/silent-proxy.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";

/** Postgres goes silent without closing a connection. No call hangs, charges are written once, the process still ends. */

const MODEL = "gpt-4o";
/** A call that takes longer hangs: the gateway answers, or turns away, within ten seconds. */
const HANGS_AFTER_MS = 25_000;
const PASSWORD = "a-long-password";

let postgres: TemporaryPostgres;
let proxy: SilentProxy;
let upstream: FakeUpstream;
let env: Record<string, string>;

beforeAll(async () => {
  postgres = await startTemporaryPostgres({ durable: false });
  proxy = await startSilentProxy(Number(new URL(postgres.url).port));
  upstream = startFakeUpstream();
});
afterAll(async () => {
  proxy.stop();
  await upstream.stop();
  await postgres.stop();
});

type Fixture = Readonly<{ gateway: Gateway; root: Session; key: string; freshKey: string }>;

/** A gateway on a database of its own behind the proxy, with a user that calls and one that has never called. */
async function openFixture(): Promise<Fixture> {
  const database = await postgres.createDatabase();
  const url = new URL(database);
  url.port = String(proxy.port);
  env = { DATABASE_URL: url.href, SHUTDOWN_TIMEOUT: "2" };
  const gateway = await startGateway({ env });
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelRatio", { [MODEL]: 1 });
  const { key } = await createApiKey(root);
  await root.post("/api/user/", { username: "fresh", password: PASSWORD, display_name: "fresh" });
  const fresh = await login(gateway, "fresh", PASSWORD);
  await root.put("/api/user/", { id: fresh.userId, username: "fresh", quota: 5_000_000 });
  const { key: freshKey } = await createApiKey(fresh);
  for (let call = 0; call < 20; call++) expect(await callWith(gateway, key)).toBe(200);
  await until(
    () => rowsIn(root),
    (rows) => rows === 20,
  );
  return { gateway, root, key, freshKey };
}

/** Makes one call; the status, after checking that a refusal says when to try again, in the caller's own format. */
async function callWith({ url }: Gateway, key: string, signal = AbortSignal.timeout(HANGS_AFTER_MS)): Promise<number> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hi" }] }),
    signal,
  });
  const answer = (await reply.json()) as { error?: { code?: string } };
  if (reply.status === 503) {
    expect(answer.error?.code).toBe("ledger_unavailable");
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  return reply.status;
}

const readyz = async ({ url }: Gateway): Promise<{ status: number; degraded: string[] }> => {
  const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(HANGS_AFTER_MS) });
  const { degraded } = (await reply.json()) as { degraded: string[] };
  return { status: reply.status, degraded };
};

/** Charged calls in the log, by the management API. */
async function rowsIn(root: Session): Promise<number> {
  const reply = await root.send("GET", "/api/log/?type=2&p=1&page_size=1");
  const { data } = (await reply.json().catch(() => ({}))) as { data?: { total?: number } };
  return data?.total ?? -1;
}

/** What the log, the counters and the balances say was taken; they must agree. */
async function booksIn(
  postgresUrl: string,
): Promise<{ rows: number; logged: number; used: number; uncovered: number }> {
  const database = new URL(postgresUrl);
  database.port = new URL(postgres.url).port;
  const sql = new Bun.SQL(database.href, { max: 1 });
  const [books] = await sql`select
    (select count(*)::int from logs where type = 2 and not failed) as rows,
    (select coalesce(sum(quota), 0)::int from logs where type = 2) as logged,
    (select coalesce(sum(used_quota), 0)::int from users) as used,
    (select coalesce(sum(uncovered), 0)::int from logs where type = 2) as uncovered`;
  await sql.close();
  return books;
}

describe("Postgres that goes silent", () => {
  test("fail-over: calls go on, and charges are written once the new server answers", async () => {
    const { gateway, root, key, freshKey } = await openFixture();
    let delivered = 20;
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const status = await callWith(gateway, key);
        expect([200, 503]).toContain(status);
        if (status === 200) delivered++;
        await Bun.sleep(50);
      }
    };
    proxy.silenceOpen();
    const clients = [client(), client()];
    const first = await callWith(gateway, freshKey);
    expect([200, 503]).toContain(first);
    if (first === 200) delivered++;
    await until(async () => {
      if ((await callWith(gateway, freshKey)) !== 200) return false;
      delivered++;
      return true;
    });
    await until(
      () => rowsIn(root),
      (rows) => rows > 21,
    );
    isOver = true;
    await Promise.all(clients);
    await until(
      () => rowsIn(root),
      (rows) => rows === delivered,
    );
    expect(await gateway.stop()).toBe(0);
    const books = await booksIn(env.DATABASE_URL ?? "");
    expect(books).toMatchObject({ rows: delivered, used: books.logged, uncovered: 0 });
  });

  test("partition: fresh users are answered, /readyz reports it, SIGTERM ends the process, nothing is lost", async () => {
    const { gateway, key, freshKey } = await openFixture();
    let delivered = 20;
    proxy.silenceAll();
    try {
      const warm = await callWith(gateway, key);
      expect(warm).toBe(200);
      delivered++;
      // Not ready once nobody can be answered; as long as somebody is, it says what is wrong.
      for (let isReported = false; !isReported; ) {
        const status = await callWith(gateway, freshKey);
        if (status === 200) delivered++;
        const state = await readyz(gateway);
        isReported = state.degraded.length > 0 && (status === 200 || state.status === 503);
      }
      expect(await gateway.stop()).toBe(0);
    } finally {
      proxy.restore();
    }
    const again = await startGateway({ env, dataDir: gateway.dataDir });
    expect(await again.stop()).toBe(0);
    const books = await booksIn(env.DATABASE_URL ?? "");
    expect(books).toMatchObject({ rows: delivered, used: books.logged, uncovered: 0 });
  });

  test("stopped processes: clients that left while it hung are neither sent upstream nor charged", async () => {
    const { gateway, freshKey } = await openFixture();
    postgres.pause();
    let left: Promise<unknown>[];
    let sent: number;
    try {
      const client = new AbortController();
      left = Array.from({ length: 220 }, () => callWith(gateway, freshKey, client.signal).catch(() => null));
      await Bun.sleep(3000);
      client.abort();
      await Promise.all(left);
      await Bun.sleep(1000);
      sent = upstream.requests.length;
    } finally {
      postgres.resume();
    }
    await until(async () => (await callWith(gateway, freshKey)) === 200);
    await until(async () => (await readyz(gateway)).degraded.length === 0);
    expect(upstream.requests.length).toBe(sent + 1);
    expect(await gateway.stop()).toBe(0);
    const books = await booksIn(env.DATABASE_URL ?? "");
    expect(books).toMatchObject({ used: books.logged, uncovered: 0 });
  });
});

test("Postgres that takes 2 s for each answer: calls are served, and /readyz says so", async () => {
  const { gateway, key } = await openFixture();
  proxy.delay(2000);
  try {
    await until(async () => {
      const { status, degraded } = await readyz(gateway);
      expect(status).toBe(200);
      return degraded.some((line) => /^database: is slow, an answer takes \d/.test(line));
    });
    expect(await callWith(gateway, key)).toBe(200);
  } finally {
    proxy.delay(0);
  }
  await until(async () => (await readyz(gateway)).degraded.length === 0);
  expect(await gateway.stop()).toBe(0);
  const books = await booksIn(env.DATABASE_URL ?? "");
  expect(books).toMatchObject({ rows: 21, used: books.logged, uncovered: 0 });
});
