import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { createApiKey, createChannel, login, type Session } from "../../support/e2e/console-client.ts";
import {
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { runCommand } from "../../support/processes/run-command.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../support/processes/temporary-postgres.ts";

const WORKERS = 4;
const MODEL = "gpt-4o";
const STREAMED = "paced-20-15";
/** What is set aside for a call with a fixed price is what it costs; quota units. */
const PRICED = "gpt-4o-mini";
/** Two channels have it. */
const SHARED = "shared";
const CALL_PRICE = 1000;

type WorkerView = Readonly<{ number: number; pid: number; state: string; backlog: number; memoryBytes: number }>;
type HostView = Readonly<{ pid: number; expected: number; restarts: number; workers: readonly WorkerView[] }>;

let database: TemporaryPostgres;
let upstream: FakeUpstream;
let gateway: Gateway;
let root: Session;
let key: string;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
  const env = {
    ...{ DATABASE_URL: database.url, WORKERS: String(WORKERS), LOG_LEVEL: "info" },
    ...{ GLOBAL_WEB_RATE_LIMIT_ENABLE: "true", GLOBAL_WEB_RATE_LIMIT: "20" },
  };
  gateway = await startGateway({ env });
  root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL, STREAMED, PRICED]);
  await setOption(root, "ModelPrice", { [PRICED]: CALL_PRICE / 500_000 });
  await setOption(root, "ModelRatio", { [MODEL]: 1, [STREAMED]: 1, [SHARED]: 1 });
  ({ key } = await createApiKey(root));
  sql = postgres(database.url, { max: 1, onnotice() {} });
  await allReady();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await sql?.end();
  await upstream?.stop();
  await database?.stop();
}, 60_000);

/** What `sluice status` asks for. */
async function hostView(): Promise<HostView> {
  const answer = await fetch("http://localhost/status", { unix: path.join(gateway.dataDir, "run/supervisor.sock") });
  return (await answer.json()) as HostView;
}

const allReady = (): Promise<HostView> =>
  until(hostView, ({ workers }) => workers.filter(({ state }) => state === "ready").length === WORKERS);

const call = (apiKey: string, model: string, stream = false, { url } = gateway): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hello" }] }),
  });

/** The same on a connection of its own, so that the system chooses the worker. */
const callOnNewConnection = (apiKey: string, model: string): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    keepalive: false,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  });

const statusesOf = async (answers: readonly Response[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const answer of answers) {
    await answer.text();
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
  }
  return counts;
};

/** Calls one after the other until `isOver`: how many were answered as they should be, and what was wrong with the others. */
async function keepCalling(
  isOver: () => boolean,
  [to, apiKey] = [gateway, key] as const,
): Promise<{ answered: number; failures: string[] }> {
  const result = { answered: 0, failures: [] as string[] };
  for (let count = 0; !isOver(); count += 1) {
    const stream = count % 2 === 0;
    try {
      const answer = await call(apiKey, stream ? STREAMED : MODEL, stream, to);
      const text = await answer.text();
      const isComplete = stream ? text.trimEnd().endsWith("data: [DONE]") : text.includes('"usage"');
      if (answer.status === 200 && isComplete) result.answered += 1;
      else result.failures.push(`${answer.status} ${text.slice(-300)}`);
    } catch (error) {
      result.failures.push(String(error));
    }
  }
  return result;
}

/** Charges, their sum, and what the user of the key has spent, as the database has it. */
async function readBooks(): Promise<{ rows: number; charged: number; spent: number; held: number }> {
  const [row] = await sql<{ rows: number; charged: number; spent: number; held: number }[]>`
    select count(*)::int as rows, coalesce(sum(quota), 0)::float8 as charged,
      (select sum(used_quota)::float8 from users) as spent, (select sum(held)::float8 from users) as held
    from logs where type = 2 and not failed`;
  if (!row) throw new Error("no row");
  return row;
}

test("a queue has as many places as its route says, whichever worker a call waits in", async () => {
  const busy = "err-429";
  await createChannel(root, upstream.url, [busy]);
  await setOption(root, "ModelRatio", { [MODEL]: 1, [STREAMED]: 1, [SHARED]: 1, [busy]: 1 });
  const queue = { max_wait_ms: 1500, max_length: 3 };
  await setOption(root, "ModelRoutes", { calm: { candidates: [{ model: busy }], queue } });
  const headers = { authorization: `Bearer ${key}`, connection: "close" };
  const listModels = async () => (await fetch(`${gateway.url}/v1/models`, { keepalive: false, headers })).text();
  await until(
    () => Promise.all(Array.from({ length: 40 }, listModels)),
    (lists) => lists.every((list) => list.includes('"calm"')),
  );
  const answers = await Promise.all(Array.from({ length: 24 }, () => callOnNewConnection(key, "calm")));
  expect(await statusesOf(answers)).toEqual({ 429: 24 });
  const [waited] = await until(
    () => sql<{ rows: number; queued: number }[]>`
      select count(*)::int as rows, (count(*) filter (where other like '%"queued_ms"%'))::int as queued from logs
      where type = 2 and failed`,
    ([row]) => row?.rows === 24,
  );
  expect(waited?.queued).toBe(queue.max_length);
}, 60_000);

test("status shows every worker, and one scrape has the figures of all", async () => {
  const { out, code } = await runCommand(["status", "--json"], { DATA_DIR: gateway.dataDir });
  expect(code).toBe(0);
  const view: HostView = JSON.parse(out);
  expect(view).toMatchObject({ pid: gateway.pid, expected: WORKERS });
  expect(new Set(view.workers.map(({ pid }) => pid)).size).toBe(WORKERS);
  const answers = await Promise.all(Array.from({ length: 40 }, () => callOnNewConnection(key, MODEL)));
  expect(await statusesOf(answers)).toEqual({ 200: 40 });
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const samples = [
    ...text.matchAll(/^sluice_relay_requests_total\{worker="(\d)",endpoint="chat",status="2xx"\} (\d+)$/gm),
  ];
  expect(samples.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(40);
  expect(samples.length).toBeGreaterThan(1);
  expect([...text.matchAll(/^process_resident_memory_bytes\{worker="\d"\}/gm)]).toHaveLength(WORKERS);
  expect(text.match(/^# TYPE sluice_ready gauge$/gm)).toHaveLength(1);
  expect(text).toContain(`sluice_workers ${WORKERS}`);
  expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: "ok", degraded: [] });
  const workersInLog = new Set([...gateway.output().matchAll(/"worker":(\d)/g)].map(([, number]) => number));
  expect(workersInLog.size).toBe(WORKERS);
}, 60_000);

test("1,000 calls at the same time get exactly the ten that a plan includes, on all workers together", async () => {
  const account = { username: "subscriber", password: "a subscriber's pw" };
  await root.post("/api/user/", account);
  const own = await login(gateway, account.username, account.password);
  const { key: ownKey } = await createApiKey(own);
  const { id } = (await root.post("/api/plan", {
    ...{ name: "Ten", description: "", price: 0, period: "month", periodCount: 1, windowQuota: 0, window: "5h" },
    ...{ windowCalls: 10, userGroup: "", trialDays: 0, allowsOverage: false, isVisible: true },
  })) as { id: number };
  await own.post("/api/user/subscriptions", { plan_id: id });
  const answers = await Promise.all(Array.from({ length: 1000 }, () => call(ownKey, MODEL)));
  expect(await statusesOf(answers)).toEqual({ 200: 10, 429: 990 });
  const numbers = async () =>
    (
      await sql<{ call: number }[]>`
        select (d ->> 'call')::int as call from logs, json_array_elements(other::json -> 'plan_draws') d
        where user_id = ${own.userId} and type = 2 and not failed order by 1`
    ).map((row) => row.call);
  expect(await until(numbers, (found) => found.length === 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const refused = await call(ownKey, MODEL);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(4 * 3600);
  expect(await refused.json()).toMatchObject({ error: { code: "insufficient_quota" } });
}, 60_000);

test("a balance for exactly ten calls serves ten of a thousand in parallel", async () => {
  const limited = await createApiKey(root, { unlimited_quota: false, remain_quota: 10 * CALL_PRICE });
  // All workers know the key.
  await Bun.sleep(300);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => callOnNewConnection(limited.key, PRICED)));
  const statuses = await statusesOf(answers);
  expect(statuses[200]).toBe(10);
  expect(Object.keys(statuses).every((status) => ["200", "429"].includes(status))).toBe(true);
  const left = await until(
    () => root.get(`/api/token/${limited.id}`),
    (token) => token.used_quota === 10 * CALL_PRICE,
  );
  expect(left.remain_quota).toBe(0);
}, 60_000);

test("limits are exact over all workers", async () => {
  const limited = await createApiKey(root, { requests_per_minute: 20 });
  await Bun.sleep(300);
  const answers = await Promise.all(Array.from({ length: 200 }, () => callOnNewConnection(limited.key, MODEL)));
  expect(await statusesOf(answers)).toEqual({ 200: 20, 429: 180 });
  const pages = Array.from({ length: 100 }, () => fetch(`${gateway.url}/login`, { keepalive: false }));
  // Sources have no built pages: 404.
  expect((await statusesOf(await Promise.all(pages)))[429]).toBe(80);
}, 60_000);

test("a policy refuses an old secret in every worker; rotated, the new one works at once and the old one ends", async () => {
  await setOption(root, "Organizations", "on");
  const { id: organization } = await root.post("/api/organization/", { username: "rotating" });
  await root.put("/api/user/", { id: organization, quota_delta: 5_000_000 });
  const headers = { cookie: root.cookie, "sluice-user": String(root.userId), "sluice-organization": `${organization}` };
  const ask = async (method: string, at: string, body: object) => {
    const answer = await fetch(`${gateway.url}/api/token/${at}`, {
      ...{ method, body: JSON.stringify(body) },
      headers: { ...headers, "content-type": "application/json" },
    });
    return (await answer.json()).data;
  };
  const { id, key: first } = await ask("POST", "", { name: "ci", unlimited_quota: true });
  const rules = {
    ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "", no_content_log: false },
    ...{ max_key_days: 0, max_call_quota: 0, rotation_days: 30 },
  };
  await root.post(`/api/organization/${organization}/policies`, { name: "Monthly", project_id: 0, rules });
  /** What the calls of many connections come to, which are spread over the workers. */
  const outcomes = async (secret: string) => {
    const answers = Array.from({ length: 6 * WORKERS }, async () => {
      const answer = await callOnNewConnection(`sk-${secret}`, MODEL);
      const { error } = await answer.json();
      return error ? `${answer.status} ${error.code}` : "passes";
    });
    return [...new Set(await Promise.all(answers))];
  };
  expect(await outcomes(first)).toEqual(["passes"]);
  await sql`update tokens set created_time = created_time - ${31 * 86_400} where id = ${id}`;
  await ask("PUT", "", { id, name: "ci of the site" });
  await until(
    () => outcomes(first),
    (seen) => String(seen) === "403 policy_key_rotation",
  );
  const { key: second, previous_key_until: none } = await ask("POST", `${id}/rotate`, { grace_seconds: 3600 });
  expect(none).toBe(0);
  expect(await outcomes(second)).toEqual(["passes"]);
  await until(
    () => outcomes(first),
    (seen) => String(seen) === "401 invalid_api_key",
  );
  const { key: third } = await ask("POST", `${id}/rotate`, { grace_seconds: 4 });
  expect(await outcomes(third)).toEqual(["passes"]);
  expect(await outcomes(second)).toEqual(["passes"]);
  await until(
    () => outcomes(second),
    (seen) => String(seen) === "401 invalid_api_key",
  );
  expect(await outcomes(third)).toEqual(["passes"]);
  const [row] = await sql`select used_quota > 0 as used, name from tokens where id = ${id}`;
  expect(row).toEqual({ used: true, name: "ci of the site" });
}, 60_000);

test("calls and probes go on while the supervisor does not answer, and limits are exact again afterwards", async () => {
  const [limited, later] = [
    await createApiKey(root, { requests_per_minute: 1000 }),
    await createApiKey(root, { requests_per_minute: 20 }),
  ];
  await Bun.sleep(300);
  process.kill(gateway.pid, "SIGSTOP");
  try {
    const answers = await Promise.all(Array.from({ length: 40 }, () => callOnNewConnection(limited.key, MODEL)));
    expect(await statusesOf(answers)).toEqual({ 200: 40 });
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain("sluice_relay_requests_total");
  } finally {
    process.kill(gateway.pid, "SIGCONT");
  }
  await until(
    () => runCommand(["status"], { DATA_DIR: gateway.dataDir }),
    ({ code }) => code === 0,
  );
  await Bun.sleep(1500);
  const answers = await Promise.all(Array.from({ length: 200 }, () => callOnNewConnection(later.key, MODEL)));
  expect(await statusesOf(answers)).toEqual({ 200: 20, 429: 180 });
}, 60_000);

test("every worker knows of channels what calls of the others have shown", async () => {
  const model = SHARED;
  for (const _ of [1, 2]) await createChannel(root, upstream.url, [model]);
  const headers = {
    cookie: root.cookie,
    "sluice-user": String(root.userId),
    connection: "close",
    "content-type": "application/json",
  };
  /** Answers about the model on so many connections, whose workers the system chooses. */
  const answersOn = <Data>(connections: number, address: string, body?: object): Promise<Data[]> =>
    Promise.all(
      Array.from({ length: connections }, async () => {
        const posted = body && { method: "POST", body: JSON.stringify(body) };
        const answer = await fetch(`${gateway.url}${address}`, { keepalive: false, headers, ...posted });
        return ((await answer.json()) as { data: Data }).data;
      }),
    );
  /** Calls of the model in the last hour. A worker that knows of no call says nothing of it. */
  const callsShown = async (connections: number): Promise<number[]> => {
    const lists = await answersOn<{ live?: { calls: number } }[]>(
      connections,
      `/api/channel/?model=${model}&stats=true`,
    );
    return lists.map((channels) => channels.reduce((sum, { live }) => sum + (live?.calls ?? 0), 0));
  };
  /** Channels that the workers choose from. */
  const channelsKnown = async (connections: number): Promise<number[]> => {
    const explained = await answersOn<{ channels: unknown[] }>(connections, "/api/channel/explain", { model });
    return explained.map(({ channels }) => channels.length);
  };
  const converse = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      keepalive: false,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model, prompt_cache_key: "one", messages: [{ role: "user", content: "hello" }] }),
    });
  const everywhere = async (numbers: (connections: number) => Promise<number[]>, expected: number) => {
    // 12 connections miss one of four workers once in eight times, 48 once in 250,000.
    for (const connections of [12, 48]) {
      await until(
        () => numbers(connections),
        (found) => found.every((number) => number === expected),
      );
    }
  };
  // A worker that knew only one of the two would have no choice to remember.
  await everywhere(channelsKnown, 2);
  expect((await converse()).status).toBe(200);
  await everywhere(callsShown, 1);
  const answers = await Promise.all(Array.from({ length: 40 }, converse));
  expect(await statusesOf(answers)).toEqual({ 200: 40 });
  await everywhere(callsShown, 41);
  // A conversation stays where its prompt is cached, whichever worker takes its next call.
  const rows = await until(
    () => sql<{ channel: number; calls: number }[]>`
      select channel_id as channel, count(*)::int as calls from logs where model_name = ${model} group by 1`,
    (found) => found.reduce((sum, { calls }) => sum + calls, 0) === 41,
  );
  expect(rows).toHaveLength(1);
}, 60_000);

test("the live view of one worker shows the calls of all", async () => {
  const abort = new AbortController();
  const live = await fetch(`${gateway.url}/api/live/calls`, {
    headers: { cookie: root.cookie, "sluice-user": String(root.userId) },
    signal: abort.signal,
  });
  expect(live.status).toBe(200);
  let text = "";
  const reading = (async () => {
    for await (const bytes of live.body ?? []) text += new TextDecoder().decode(bytes);
  })().catch(() => {});
  const begun = () => new Set([...text.matchAll(/"request_id":"([^"]+)","is_over":false/g)].map(([, id]) => id)).size;
  // Once the others know that somebody watches, calls show as they begin, whichever worker has them.
  await until(async () => {
    const before = begun();
    await statusesOf(await Promise.all(Array.from({ length: 16 }, () => callOnNewConnection(key, MODEL))));
    await Bun.sleep(600);
    return begun() - before === 16;
  });
  abort.abort();
  await reading;
}, 60_000);

test("a worker that is killed under load is replaced, its charges are written at once, and the books are exact", async () => {
  let isOver = false;
  const clients = Array.from({ length: 8 }, () => keepCalling(() => isOver));
  await Bun.sleep(500);
  const before = await hostView();
  const victim = before.workers[1] as WorkerView;
  process.kill(victim.pid, "SIGKILL");
  await until(() => gateway.output().includes("the journal of an earlier process is in the database"));
  const after = await allReady();
  expect(after.restarts).toBe(before.restarts + 1);
  expect(after.workers.some(({ pid }) => pid === victim.pid)).toBe(false);
  isOver = true;
  const results = await Promise.all(clients);
  const answered = results.reduce((sum, result) => sum + result.answered, 0);
  expect(answered).toBeGreaterThan(10);
  // Calls of the killed worker fail at their clients; whatever was answered is charged, and nothing twice.
  const books = await until(readBooks, ({ held, rows }) => held === 0 && rows >= answered);
  expect(books.spent).toBe(books.charged);
  const [doubled] =
    await sql`select count(*)::int as n from (select request_id from logs where type = 2 group by 1 having count(*) > 1) d`;
  expect(doubled?.n).toBe(0);
}, 120_000);

describe("SIGHUP", () => {
  test("replaces all workers under load without failing a call, and counters go on", async () => {
    const before = await allReady();
    const rowsBefore = (await until(readBooks, ({ held }) => held === 0)).rows;
    const countCalls = async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      const found = [
        ...text.matchAll(/^sluice_relay_requests_total\{worker="\d",endpoint="chat",status="2xx"\} (\d+)$/gm),
      ];
      return found.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const countedBefore = await countCalls();
    let isOver = false;
    const clients = Array.from({ length: 4 }, () => keepCalling(() => isOver));
    process.kill(gateway.pid, "SIGHUP");
    const old = new Set(before.workers.map(({ pid }) => pid));
    await until(hostView, ({ workers }) => workers.length === WORKERS && workers.every(({ pid }) => !old.has(pid)));
    isOver = true;
    const results = await Promise.all(clients);
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    const answered = results.reduce((sum, result) => sum + result.answered, 0);
    const books = await until(readBooks, ({ held, rows }) => held === 0 && rows >= rowsBefore + answered);
    expect(books.rows).toBe(rowsBefore + answered);
    expect(books.spent).toBe(books.charged);
    expect(await countCalls()).toBe(countedBefore + answered);
  }, 180_000);
});

test("a stored conversation has back what guardrails masked in it, whichever worker takes its next turn", async () => {
  const turns: string[] = [];
  let name = "warm";
  /** A provider that stores the conversation, and repeats all of it. */
  const provider = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      const { input } = (await request.json()) as { input: string };
      turns.push(input);
      const text = turns.join(" | ");
      return Response.json({
        ...{
          id: `resp_${name}_${turns.length}`,
          object: "response",
          created_at: 1,
          status: "completed",
          model: "repeats",
        },
        output: [
          {
            ...{ id: `msg_${name}_${turns.length}`, type: "message", role: "assistant", status: "completed" },
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ],
        usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
      });
    },
  });
  try {
    await createChannel(root, `http://127.0.0.1:${provider.port}`, ["repeats"]);
    await setOption(root, "ModelRatio", { [MODEL]: 1, [STREAMED]: 1, [SHARED]: 1, repeats: 1 });
    await setOption(root, "Guardrails", { pii: { kind: "personal_data", action: "mask", models: ["repeats"] } });
    const say = async (input: string, previous?: string) => {
      const answer = await fetch(`${gateway.url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ model: "repeats", input, ...(previous && { previous_response_id: previous }) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const isStored = (id: string) =>
      until(
        () => sql`select from stored_responses where id = ${id}`,
        (rows) => rows.length > 0,
      );
    // Each worker learns of the channel and the guardrail a moment later.
    await until(
      async () => Promise.all(Array.from({ length: 4 * WORKERS }, () => say("Hi"))),
      (answers) => answers.every(({ status }) => status === 200),
    );
    turns.length = 0;
    name = "conversation";
    await say("Remember ann@example.org");
    expect(turns[0]).toMatch(/^Remember \[EMAIL_\w{8}\]$/);
    for (let turn = 1; turn <= 3 * WORKERS; turn += 1) {
      await isStored(`resp_${name}_${turn}`);
      const { text } = await say(`turn ${turn}`, `resp_${name}_${turn}`);
      expect(text).toContain("Remember ann@example.org | turn 1");
    }
    expect(turns.join()).not.toContain("ann@");
    const rows = await sql`select * from stored_responses`;
    expect(JSON.stringify(rows)).not.toContain("ann@");
    expect(rows.filter(({ body }) => String(body).startsWith("v1."))).not.toEqual([]);
  } finally {
    await provider.stop(true);
    await setOption(root, "Guardrails", {});
  }
}, 60_000);

test("SIGTERM lets open calls finish in every worker, and ends", async () => {
  const streams = await Promise.all(Array.from({ length: 8 }, () => call(key, STREAMED, true)));
  const stopped = gateway.stop();
  const texts = await Promise.all(streams.map((stream) => stream.text()));
  expect(texts.filter((text) => text.trimEnd().endsWith("data: [DONE]"))).toHaveLength(8);
  expect(await stopped).toBe(0);
  expect((await readBooks()).held).toBe(0);
  const [left] = await sql`select count(*)::int as n from processes`;
  expect(left?.n).toBe(0);
}, 60_000);

test("the embedded database refuses several workers with a reason", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-data-"));
  const { code, err } = await runCommand(["serve"], { DATA_DIR: dataDir, WORKERS: "2" });
  await rm(dataDir, { recursive: true, force: true });
  expect(code).toBe(1);
  expect(err).toContain("only one process at a time can open the embedded database");
}, 30_000);

describe("sluice reload", () => {
  const main = path.resolve(import.meta.dir, "../../../src/main.ts");
  let folder: string;
  let replaceable: Gateway;
  /** Puts another release in the place of the program that the gateway was started from. */
  const release = (text: string) => Bun.write(path.join(folder, "entry.ts"), text);
  const reload = () => runCommand(["reload"], { DATA_DIR: replaceable.dataDir });
  const countOf = (text: string) => replaceable.output().split(text).length - 1;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sluice-release-"));
    const program = path.join(folder, "sluice");
    await Bun.write(program, `#!/bin/sh\nexec "${process.execPath}" "${folder}/entry.ts" "$@"\n`);
    await chmod(program, 0o755);
    await release(`console.log("release one"); await import(${JSON.stringify(main)});`);
    const { SLUICE_E2E_EXECUTABLE: other } = process.env;
    process.env.SLUICE_E2E_EXECUTABLE = program;
    try {
      replaceable = await startGateway({ env: { DATABASE_URL: await database.createDatabase(), WORKERS: "2" } });
    } finally {
      if (other === undefined) delete process.env.SLUICE_E2E_EXECUTABLE;
      else process.env.SLUICE_E2E_EXECUTABLE = other;
    }
    await until(
      async () => (await fetch(`${replaceable.url}/metrics`)).text(),
      (text) => text.includes("sluice_workers 2"),
    );
  }, 60_000);
  afterAll(async () => {
    expect(await replaceable.stop()).toBe(0);
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  test("starts the workers from the program that is on the disk now, without failing a call", async () => {
    const session = await setUp(replaceable);
    await createChannel(session, upstream.url, [MODEL, STREAMED]);
    await setOption(session, "ModelRatio", { [MODEL]: 1, [STREAMED]: 1 });
    const { key: apiKey } = await createApiKey(session);
    // The other worker receives all that a moment later.
    await until(
      async () =>
        statusesOf(await Promise.all(Array.from({ length: 16 }, () => call(apiKey, MODEL, false, replaceable)))),
      ({ 200: served }) => served === 16,
    );
    let isOver = false;
    const clients = Array.from({ length: 4 }, () => keepCalling(() => isOver, [replaceable, apiKey]));
    expect(countOf("release two")).toBe(0);
    await release(`console.log("release two"); await import(${JSON.stringify(main)});`);
    expect(await reload()).toMatchObject({ code: 0, out: "2 workers replaced\n" });
    expect(countOf("release two")).toBe(2);
    isOver = true;
    const results = await Promise.all(clients);
    expect(results.flatMap(({ failures }) => failures)).toEqual([]);
    expect(Math.min(...results.map(({ answered }) => answered))).toBeGreaterThan(0);
  }, 90_000);

  test("leaves the workers as they are when the new program does not start", async () => {
    await release("process.exit(3);");
    const { code, err } = await reload();
    expect(code).toBe(1);
    expect(err).toContain("did not start");
    expect(await (await fetch(`${replaceable.url}/readyz`)).json()).toEqual({ status: "ok", degraded: [] });
  }, 60_000);
});
