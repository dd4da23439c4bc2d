import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createApiKey, createChannel, login } from "../../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { runCommand } from "../../../support/processes/run-command.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";

/** The log in a database of its own, on another server; OWN_LOG_SECONDS (default 6) is how long each of the two is away. */
const AWAY_S = Number(process.env.OWN_LOG_SECONDS ?? 6);
const CALLS_PER_SECOND = 20;
const MODEL = "gpt-4o";
const CALL = { model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "hi" }] };
const QUOTA = 50_000_000;

let main: TemporaryPostgres;
let logs: TemporaryPostgres;
let upstream: FakeUpstream;
beforeAll(async () => {
  // One that crashes must have what it confirmed: the log may have it already.
  [main, logs] = await Promise.all([
    startTemporaryPostgres({ durable: true }),
    startTemporaryPostgres({ durable: true }),
  ]);
  upstream = startFakeUpstream();
}, 60_000);
afterAll(async () => {
  await upstream.stop();
  await main.stop();
  await logs.stop();
}, 30_000);

async function ask<Row>(url: string, query: string): Promise<Row> {
  const sql = new Bun.SQL(url, { max: 1 });
  try {
    return (await sql.unsafe(query))[0] as Row;
  } finally {
    await sql.close();
  }
}

const CHARGED = `select (select sum(used_quota)::int from users) as users, (select sum(used_quota)::int from tokens) as tokens,
  (select sum(used_quota)::int from channels) as channels, (select sum(quota)::int from usage_rollups) as rollups,
  (select sum(request_count)::int from users) as calls`;
const LOGGED = `select count(*)::int as rows, count(distinct request_id)::int as requests, sum(quota)::int as quota,
  (select sum(quota)::int from usage_rollups) as rollups, (select sum(count)::int from usage_rollups) as calls from logs where type = 2`;

/** Calls at a steady rate until it is ended; answers how many were served, and what else there was. */
function startLoad(gateways: () => readonly Gateway[], key: string) {
  let isLoading = true;
  const outcomes: number[] = [];
  const running = new Set<Promise<void>>();
  const call = async ({ url }: Gateway) => {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      ...{ method: "POST", body: JSON.stringify(CALL), signal: AbortSignal.timeout(30_000) },
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    await reply.arrayBuffer();
    return reply.status;
  };
  const loop = (async () => {
    for (let at = 0; isLoading; at += 1) {
      const [first, ...others] = gateways();
      const gateway = [first, ...others][at % (1 + others.length)];
      if (gateway) {
        const made = call(gateway).then(
          (status) => void outcomes.push(status),
          () => void outcomes.push(0),
        );
        running.add(made);
        void made.finally(() => running.delete(made));
      }
      await Bun.sleep(1000 / CALLS_PER_SECOND);
    }
  })();
  return {
    served: () => outcomes.filter((status) => status === 200).length,
    others: () => outcomes.filter((status) => status !== 200),
    async end() {
      isLoading = false;
      await loop;
      await Promise.all(running);
    },
  };
}

test(
  "each charge is once in each database, whichever is away or killed, and an existing log moves while serving",
  async () => {
    const [mainUrl, logUrl] = [await main.createDatabase(), await logs.createDatabase()];
    const secret = { ENCRYPTION_KEY: "a-key-of-both-processes-0123456789abcdef" };
    const before = await startGateway({ env: { ...secret, DATABASE_URL: mainUrl } });
    const root = await setUp(before);
    await createChannel(root, upstream.url, [MODEL]);
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    await root.post("/api/user/", { username: "caller", password: "a-long-password", display_name: "caller" });
    const caller = await login(before, "caller", "a-long-password");
    await root.put("/api/user/", { id: caller.userId, username: "caller", quota: QUOTA });
    const { key } = await createApiKey(caller);
    const early = startLoad(() => [before], key);
    await until(() => early.served() >= 30);
    await early.end();
    expect(await before.stop()).toBe(0);

    const env = { ...secret, DATABASE_URL: mainUrl, LOG_DATABASE_URL: logUrl };
    let [first, second] = [await startGateway({ env }), await startGateway({ env })];
    const load = startLoad(() => [first, second], key);
    await until(() => load.served() >= 20);
    const moved = await runCommand(["logs", "move"], env);
    expect(moved.code).toBe(0);
    expect(moved.out).toContain(`${early.served()} rows moved`);

    // The log's database is away: balances and calls go on, pages say what is missing.
    await logs.shutDown("SIGQUIT");
    const headers = { cookie: root.cookie, "sluice-user": String(root.userId) };
    const readLog = async () => {
      const answer = await fetch(`${first.url}/api/log/?p=1`, { headers });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    await until(async () => Bun.deepEquals(await readLog(), [503, "log_database_unavailable"]));
    expect((await fetch(`${first.url}/api/user/self`, { headers })).status).toBe(200);
    await until(async () =>
      (await (await fetch(`${first.url}/readyz`)).text()).includes("log database: does not answer"),
    );
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${first.url}/metrics`)).text();
    expect(metrics).toMatch(/^sluice_log_database_up 0$/m);
    expect(metrics).toMatch(/^sluice_log_waiting_rows \d+$/m);
    await Bun.sleep(AWAY_S * 1000);
    await logs.startAgain();

    // The main database is away: calls go on through the journals.
    await until(async () => !(await (await fetch(`${first.url}/readyz`)).text()).includes("log database"));
    await main.shutDown("SIGQUIT");
    await Bun.sleep(AWAY_S * 1000);
    await main.startAgain();

    // A process is killed under load, and comes back to its journal.
    const { dataDir } = second;
    await second.stop("SIGKILL");
    const failedAtKill = load.others().length;
    second = await startGateway({ env, dataDir });
    const served = load.served();
    await until(() => load.served() > served + 2 * CALLS_PER_SECOND);
    await load.end();
    expect(await first.stop()).toBe(0);
    expect(await second.stop()).toBe(0);
    // Whoever starts next delivers what is left.
    first = await startGateway({ env });
    await until(
      async () => (await ask<{ rows: number }>(mainUrl, "select count(*)::int as rows from log_deliveries")).rows === 0,
    );

    const charged = await ask<Record<string, number>>(mainUrl, CHARGED);
    const logged = await ask<Record<string, number>>(logUrl, LOGGED);
    const { quota, rows, calls } = logged;
    expect(charged).toMatchObject({ users: quota, tokens: quota, channels: quota, rollups: quota });
    expect(logged).toMatchObject({ requests: rows, calls: rows, rollups: quota });
    expect(charged.calls).toBe(rows as number);
    expect(calls).toBeGreaterThanOrEqual(30 + load.served());
    // Calls that the killed process had served are charged, though their clients may not know it.
    expect(rows).toBeLessThanOrEqual(30 + load.served() + load.others().length);
    expect(load.others().length - failedAtKill).toBeLessThan(4 * CALLS_PER_SECOND);
    const balance = await ask<{ quota: number }>(mainUrl, `select quota::int from users where username = 'caller'`);
    expect(QUOTA - balance.quota).toBe(quota as number);

    // Backups of both; the log's restored into an empty database has the same rows.
    const file = join(first.dataDir, "log.backup");
    expect(await runCommand(["backup", file, "--logs"], env)).toMatchObject({ code: 0 });
    expect(await first.stop()).toBe(0);
    const restored = { ...env, LOG_DATABASE_URL: await logs.createDatabase() };
    expect(await runCommand(["restore", file, "--logs"], restored)).toMatchObject({ code: 0 });
    expect(await ask<Record<string, number>>(restored.LOG_DATABASE_URL, LOGGED)).toEqual(logged);
    const unset = await runCommand(["serve"], { ...secret, DATABASE_URL: mainUrl });
    expect([unset.code, unset.err]).toEqual([1, expect.stringContaining("set LOG_DATABASE_URL again")]);
  },
  (2 * AWAY_S + 180) * 1000,
);
