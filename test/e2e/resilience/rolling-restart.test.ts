import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { type Balancer, startBalancer } from "../../support/e2e/balancer.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
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

const REPLICAS = 4;
const CLIENTS = 8;
/** A stream of 20 words, 15 ms apart, and an answer at once. */
const MODELS = ["paced-20-15", "gpt-4o"] as const;
/** What is set aside for a call with a fixed price is what it costs; quota units. */
const PRICED = "gpt-4o-mini";
const CALL_PRICE = 1000;
const SHARED = {
  ENCRYPTION_KEY: "k".repeat(43),
  SESSION_SECRET: "s".repeat(43),
  LOG_LEVEL: "warn",
};

let database: TemporaryPostgres;
let upstream: FakeUpstream;
let replicas: Gateway[];
let balancer: Balancer;
let key: string;

beforeAll(async () => {
  database = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
  // The first one makes the tables.
  replicas = [await start()];
  replicas.push(...(await Promise.all(Array.from({ length: REPLICAS - 1 }, () => start()))));
  const root = await setUp(replicas[0] as Gateway);
  await createChannel(root, upstream.url, [...MODELS, PRICED]);
  await setOption(root, "ModelPrice", { [PRICED]: CALL_PRICE / 500_000 });
  await setOption(root, "ModelRatio", Object.fromEntries(MODELS.map((model) => [model, 1])));
  ({ key } = await createApiKey(root));
  balancer = startBalancer(replicas.map(({ url }) => url));
  await until(() => balancer.readyCount() === REPLICAS);
}, 240_000);
afterAll(async () => {
  await balancer.stop();
  await Promise.all(replicas.map((replica) => replica.stop()));
  await upstream.stop();
  await database.stop();
}, 120_000);

const start = (dataDir?: string): Promise<Gateway> =>
  startGateway({ env: { ...SHARED, DATABASE_URL: database.url }, ...(dataDir !== undefined && { dataDir }) });

function call(url: string, apiKey: string, stream: boolean, model: string = MODELS[stream ? 0 : 1]): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hello" }] }),
  });
}

/** Calls one after the other until `isOver`; resolves with how many were answered, and what was wrong with the others. */
async function keepCalling(isOver: () => boolean): Promise<{ answered: number; failures: string[] }> {
  const result = { answered: 0, failures: [] as string[] };
  for (let count = 0; !isOver(); count += 1) {
    const stream = count % 2 === 0;
    try {
      const answer = await call(balancer.url, key, stream);
      const text = await answer.text();
      const isComplete = stream
        ? text.trimEnd().endsWith("data: [DONE]") && !text.includes('"error"')
        : text.includes('"usage"');
      if (answer.status === 200 && isComplete) result.answered += 1;
      else result.failures.push(`${answer.status} ${text.slice(-300)}`);
    } catch (error) {
      result.failures.push(String(error));
    }
  }
  return result;
}

test("a rolling restart behind a balancer that follows /readyz fails no call, and each is charged once", async () => {
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, () => keepCalling(() => isOver));
  for (const [place, replica] of replicas.entries()) {
    // Others are registered as alive, so it waits for the balancer by itself.
    expect(await replica.stop()).toBe(0);
    const next = await start(replica.dataDir);
    balancer.replace(replica.url, next.url);
    replicas[place] = next;
    await until(() => balancer.readyCount() === REPLICAS);
  }
  isOver = true;
  const results = await Promise.all(clients);
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  const answered = results.reduce((sum, result) => sum + result.answered, 0);
  expect(answered).toBeGreaterThan(100);
  const sql = postgres(database.url, { max: 1, onnotice() {} });
  const readRows = async () => Number((await sql`select count(*) as rows from logs where type = 2`)[0]?.rows);
  expect(await until(readRows, (rows) => rows >= answered)).toBe(answered);
  await sql.end();
}, 400_000);

test("a key works on every replica as soon as it was made on one", async () => {
  const session = await login(replicas[0] as Gateway, ROOT_NAME, ROOT_PASSWORD);
  for (let round = 0; round < 5; round += 1) {
    const made = await createApiKey(session);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => call(replicas[1 + (at % (REPLICAS - 1))]?.url ?? "", made.key, false)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    await Promise.all(answers.map((answer) => answer.text()));
  }
}, 60_000);

test("a key that is used up shows it, is refused as such, and works everywhere as soon as it gets quota", async () => {
  const session = await login(replicas[0] as Gateway, ROOT_NAME, ROOT_PASSWORD);
  const { id, key: limited } = await createApiKey(session, { unlimited_quota: false, remain_quota: CALL_PRICE });
  const callOn = async (replica: number) => {
    const answer = await call(replicas[replica]?.url ?? "", limited, false, PRICED);
    const { error } = (await answer.json()) as { error?: { code: string } };
    return `${answer.status} ${error?.code ?? ""}`.trim();
  };
  expect(await callOn(1)).toBe("200");
  await until(
    () => session.get(`/api/token/${id}`),
    (token) => token.status === 4 && token.remain_quota === 0,
  );
  const listed: { id: number }[] = await session.get("/api/token/?status=4&p=0&size=10");
  expect(listed.map((token) => token.id)).toEqual([id]);
  await until(
    () => callOn(2),
    (answer) => answer === "429 insufficient_quota",
  );
  await session.put("/api/token/", { id, remain_quota: 3 * CALL_PRICE });
  expect(await Promise.all([callOn(1), callOn(2), callOn(3)])).toEqual(["200", "200", "200"]);
}, 60_000);

test("a thousand calls against key, project and organization with quota for ten each, on four replicas, serve ten", async () => {
  const session = await login(replicas[0] as Gateway, ROOT_NAME, ROOT_PASSWORD);
  await setOption(session, "Organizations", "on");
  const limit = 10 * CALL_PRICE;
  const { id } = await session.post("/api/organization/", { username: "racers" });
  await session.put("/api/user/", { id, quota_delta: limit });
  const project = (await session.post(`/api/organization/${id}/projects`, { name: "Race" })).id;
  for (const [scope, scopeId] of [
    ["organization", 0],
    ["project", project],
  ] as const) {
    const budget = { scope, scope_id: scopeId, period: "total", limit, is_hard: true };
    await session.post(`/api/organization/${id}/budgets`, budget);
  }
  const own = { cookie: session.cookie, "sluice-user": String(session.userId), "Sluice-Organization": String(id) };
  const made = await fetch(`${replicas[0]?.url}/api/token/`, {
    method: "POST",
    headers: { ...own, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ name: "race", project_id: project, expired_time: -1 },
      ...{ unlimited_quota: false, remain_quota: limit },
    }),
  });
  const raced = ((await made.json()) as { data: { key: string } }).data.key;
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, at) => {
      const answer = await call(replicas[at % REPLICAS]?.url ?? "", `sk-${raced}`, false, PRICED);
      await answer.text();
      return answer.status;
    }),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(10);
  expect(answers.filter((status) => ![200, 401, 403, 429].includes(status))).toEqual([]);
  const sql = postgres(database.url, { max: 1, onnotice() {} });
  await until(
    async () => (await sql`select quota, held from users where id = ${id}`)[0],
    (row) => row?.quota === "0" && row.held === "0",
  );
  const budgets =
    await sql`select scope, spent::int, remaining::int, held::int from budgets where organization_id = ${id}`;
  expect(budgets.map((row) => ({ ...row })).sort((a, b) => (String(a.scope) < String(b.scope) ? -1 : 1))).toEqual([
    { scope: "organization", spent: limit, remaining: 0, held: 0 },
    { scope: "project", spent: limit, remaining: 0, held: 0 },
  ]);
  await sql.end();
}, 120_000);
