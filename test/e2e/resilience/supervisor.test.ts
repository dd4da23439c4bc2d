/** What becomes of a host that loses workers, or the supervisor itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { createApiKey, createChannel } from "../../support/e2e/console-client.ts";
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

const WORKERS = 2;
const MODEL = "gpt-4o";
/** A call that takes longer was not served. */
const CALL_WITHIN_MS = 8000;

type HostView = Readonly<{ restarts: number; workers: readonly Readonly<{ pid: number; state: string }>[] }>;

let database: TemporaryPostgres;
let upstream: FakeUpstream;
let gateway: Gateway;
let key: string;
/** Its program can be exchanged. */
let folder: string;
let sql: postgres.Sql;

const program = () => path.join(folder, "sluice");
const main = path.resolve(import.meta.dir, "../../../src/main.ts");
const install = (text: string) => Bun.write(path.join(folder, "entry.ts"), text);

/** Starts the program, on the data folder and port of an earlier start where one is given. */
async function start(earlier?: Gateway): Promise<Gateway> {
  const { SLUICE_E2E_EXECUTABLE: other } = process.env;
  process.env.SLUICE_E2E_EXECUTABLE = program();
  const again = earlier && { PORT: new URL(earlier.url).port };
  try {
    const env = { DATABASE_URL: database.url, WORKERS: String(WORKERS), LOG_LEVEL: "info", ...again };
    return await startGateway({ env, dataDir: earlier?.dataDir });
  } finally {
    if (other === undefined) delete process.env.SLUICE_E2E_EXECUTABLE;
    else process.env.SLUICE_E2E_EXECUTABLE = other;
  }
}

beforeAll(async () => {
  database = await startTemporaryPostgres({ durable: false });
  upstream = startFakeUpstream();
  folder = await mkdtemp(path.join(tmpdir(), "sluice-supervised-"));
  await Bun.write(program(), `#!/bin/sh\nexec "${process.execPath}" "${folder}/entry.ts" "$@"\n`);
  await chmod(program(), 0o755);
  await install(`await import(${JSON.stringify(main)});`);
  gateway = await start();
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelRatio", { [MODEL]: 1 });
  ({ key } = await createApiKey(root));
  sql = postgres(database.url, { max: 1, onnotice() {} });
  await allReady();
}, 120_000);
afterAll(async () => {
  await gateway?.stop();
  await sql?.end();
  await upstream?.stop();
  await database?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}, 60_000);

async function hostView(): Promise<HostView> {
  const answer = await fetch("http://localhost/status", { unix: path.join(gateway.dataDir, "run/supervisor.sock") });
  return (await answer.json()) as HostView;
}

const allReady = (): Promise<HostView> =>
  until(
    () => hostView().catch(() => null),
    (view) => view?.workers.filter(({ state }) => state === "ready").length === WORKERS,
  ) as Promise<HostView>;

/** On a connection of its own, so that the system chooses the worker; false: not served. */
async function call(): Promise<boolean> {
  try {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      ...{ method: "POST", keepalive: false, signal: AbortSignal.timeout(CALL_WITHIN_MS) },
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
    });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}

const readyStatus = async (): Promise<number> =>
  (await fetch(`${gateway.url}/readyz`, { keepalive: false, signal: AbortSignal.timeout(CALL_WITHIN_MS) })).status;

test("new workers take the places of all that are killed at one moment", async () => {
  for (const { pid } of (await allReady()).workers) process.kill(pid, "SIGKILL");
  await until(call);
  await allReady();
}, 60_000);

test("workers killed in turns, however often, are replaced at once: calls go on, and the books are exact", async () => {
  const outcomes: boolean[] = [];
  let isOver = false;
  const client = (async () => {
    while (!isOver) {
      outcomes.push(await call());
      await Bun.sleep(20);
    }
  })();
  for (let turn = 0; turn < 8; turn += 1) {
    const [victim] = (await allReady()).workers;
    process.kill(victim?.pid ?? 0, "SIGKILL");
    await Bun.sleep(500);
  }
  await allReady();
  isOver = true;
  await client;
  const served = outcomes.filter(Boolean).length;
  expect(served / outcomes.length).toBeGreaterThan(0.95);
  const books = () => sql<{ held: number; spent: number; charged: number; rows: number }[]>`
    select (select sum(held)::int from users) as held, (select sum(used_quota)::int from users) as spent,
      coalesce(sum(quota), 0)::int as charged, count(*)::int as rows from logs where type = 2 and not failed`;
  const [found] = await until(books, ([row]) => row?.held === 0 && row.rows >= served);
  expect(found?.spent).toBe(found?.charged);
}, 120_000);

test("a worker that hangs makes the host not ready while half of its calls would wait, and is replaced", async () => {
  const [victim] = (await allReady()).workers;
  process.kill(victim?.pid ?? 0, "SIGSTOP");
  const view = async () => (await hostView()).workers;
  // Asked where it is answered: the other half of the connections wait as calls do.
  const statuses = await Promise.all(Array.from({ length: 8 }, () => readyStatus().catch(() => 0)));
  expect(statuses.filter((status) => status === 200)).toEqual([]);
  expect(statuses).toContain(503);
  await until(view, (workers) => workers.every(({ pid }) => pid !== victim?.pid));
  await allReady();
  expect(await readyStatus()).toBe(200);
  expect(await Promise.all(Array.from({ length: 8 }, call))).toEqual(Array(8).fill(true));
  expect(gateway.output()).toContain("a worker hangs and is ended");
}, 60_000);

test("after a supervisor was killed the next one starts at once, on the same port", async () => {
  await allReady();
  await gateway.stop("SIGKILL");
  gateway = await start(gateway);
  await allReady();
  expect(await Promise.all(Array.from({ length: 8 }, call))).toEqual(Array(8).fill(true));
}, 60_000);

describe("a program that can't start any worker", () => {
  test("ends the supervisor with a sentence and the worker's exit code", async () => {
    const { workers } = await allReady();
    await install("process.exit(3);");
    for (const { pid } of workers) process.kill(pid, "SIGKILL");
    await until(() => gateway.output().includes("no worker can start: 6 in a row have ended before they served"));
    expect(await gateway.stop()).toBe(3);
  }, 60_000);
});
