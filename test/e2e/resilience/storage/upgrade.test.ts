/** The last release and the next one on the same database, at the same time and one after the other. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { settledAccount } from "../../../support/billing/books.ts";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  type Session,
} from "../../../support/e2e/console-client.ts";
import {
  ENGINES,
  type Engine,
  emptyDatabase,
  type FakeUpstream,
  type Gateway,
  setOption,
  setUp,
  startFakeUpstream,
  startGateway,
} from "../../../support/e2e/fixture.ts";
import { lastRelease, nextRelease } from "../../../support/processes/releases/releases.ts";
import { runCommand } from "../../../support/processes/run-command.ts";

setDefaultTimeout(300_000);

const MODEL = "gpt-4o-mini";
/** What a call costs, in quota units. */
const PRICE = 1000;
const SHARED = { ENCRYPTION_KEY: "k".repeat(43), SESSION_SECRET: "s".repeat(43), LOG_LEVEL: "warn" };
/** What the next release adds: a table, a column that is filled, and an index. */
const EXPAND = `create table "pets" ("id" integer primary key, "user_id" integer not null);--> statement-breakpoint
alter table "users" add column "nickname" text default 'none' not null;--> statement-breakpoint
alter table "logs" add column "pet" text;--> statement-breakpoint
create index "logs_pet_idx" on "logs" ("pet");`;

let folder = "";
let last: string[];
let next: string[];
let upstream: FakeUpstream;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-upgrade-"));
  [last, next] = await Promise.all([lastRelease(), nextRelease(path.join(folder, "next"), EXPAND)]);
  upstream = startFakeUpstream();
});
afterAll(async () => {
  await upstream.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call({ url }: Pick<Gateway, "url">, key: string, count: number): Promise<void> {
  const answers = Array.from({ length: count }, () =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
    }),
  );
  const statuses = await Promise.all(answers.map(async (answer) => (await answer).status));
  expect(statuses).toEqual(Array(count).fill(200));
}

async function prepare(gateway: Gateway): Promise<string> {
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL]);
  await setOption(root, "ModelPrice", { [MODEL]: PRICE / 500_000 });
  const { key } = await createApiKey(root);
  return key;
}

const signIn = (gateway: Gateway): Promise<Session> => login(gateway, ROOT_NAME, ROOT_PASSWORD);

/** Every call has a row, and what it cost has left the balance: `calls` since the installation was made. */
async function expectBooks(gateway: Gateway, calls: number): Promise<void> {
  const session = await signIn(gateway);
  expect(await settledAccount(session)).toMatchObject({ request_count: calls, used_quota: calls * PRICE });
  const { items } = await session.get("/api/log/?type=2&p=1&page_size=100");
  expect(items.map(({ quota }: { quota: number }) => quota)).toEqual(Array(calls).fill(PRICE));
}

describe.each([...ENGINES])("on the %s database", (engine: Engine) => {
  test("the next release starts on the last one's tables, and the last one on the next one's, with all charges", async () => {
    const dataDir = await mkdtemp(path.join(folder, "data-"));
    const env = { ...SHARED, ...(engine === "postgres" && { DATABASE_URL: await emptyDatabase() }) };
    const start = (command: readonly string[]) => startGateway({ env, dataDir, command });

    const before = await start(last);
    const key = await prepare(before);
    await call(before, key, 3);
    expect(await before.stop()).toBe(0);

    const upgraded = await start(next);
    await call(upgraded, key, 4);
    await expectBooks(upgraded, 7);
    // The way back begins with a release that is in trouble: what it had in its journal alone is charged all the same.
    await call(upgraded, key, 5);
    expect(await upgraded.stop("SIGKILL")).toBe(137);

    const back = await start(last);
    await call(back, key, 2);
    await expectBooks(back, 14);
    expect(await back.stop()).toBe(0);

    const again = await start(next);
    await call(again, key, 1);
    await expectBooks(again, 15);
    expect(await again.stop()).toBe(0);
  });

  test("the last release restores a backup of the next one, with all charges", async () => {
    const dataDir = await mkdtemp(path.join(folder, "data-"));
    const newPlace = async (): Promise<Record<string, string>> =>
      engine === "postgres" ? { ...SHARED, DATABASE_URL: await emptyDatabase() } : SHARED;
    const env = await newPlace();
    const gateway = await startGateway({ env, dataDir, command: next });
    const key = await prepare(gateway);
    await call(gateway, key, 6);
    await expectBooks(gateway, 6);
    const file = path.join(folder, `${engine}.backup`);
    expect(await runCommand(["backup", file], { ...env, DATA_DIR: dataDir }, next)).toMatchObject({ code: 0 });
    expect(await gateway.stop()).toBe(0);

    const place = await newPlace();
    const restored = await mkdtemp(path.join(folder, "data-"));
    const { code, out } = await runCommand(["restore", file], { ...place, DATA_DIR: restored }, last);
    expect(code).toBe(0);
    expect(out).toContain("pets, users.nickname, logs.pet");
    const back = await startGateway({ env: place, dataDir: restored, command: last });
    await call(back, key, 2);
    await expectBooks(back, 8);
    expect(await back.stop()).toBe(0);
  });
});

test.skipIf(!ENGINES.includes("postgres"))("replicas of both serve side by side, restarts included", async () => {
  const env = { ...SHARED, DATABASE_URL: await emptyDatabase() };
  const start = (command: readonly string[], dataDir?: string) =>
    startGateway({ env, command, ...(dataDir !== undefined && { dataDir }) });
  const first = await start(last);
  const key = await prepare(first);
  await call(first, key, 2);
  const second = await start(next);
  let calls = 2;
  for (const round of [1, 2, 3]) {
    await Promise.all([call(first, key, 4), call(second, key, 4)]);
    calls += 8;
    // What one of them changes, both know.
    const session = await signIn(round % 2 ? first : second);
    const made = await createApiKey(session);
    await Promise.all([call(first, made.key, 1), call(second, made.key, 1)]);
    calls += 2;
  }
  const kill = await first.stop("SIGKILL");
  expect(kill).toBe(137);
  const restarted = await start(last, first.dataDir);
  await Promise.all([call(restarted, key, 3), call(second, key, 3)]);
  calls += 6;
  await expectBooks(restarted, calls);
  await expectBooks(second, calls);
  expect(await second.stop()).toBe(0);
  expect(await restarted.stop()).toBe(0);
});
