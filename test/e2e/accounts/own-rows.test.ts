/** Nobody sees or changes another's rows, whatever a call names: asked of every route that is open to users. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openDatabase } from "../../../db/connect.ts";
import { addUp } from "../../../scripts/seed/sums.ts";
import { login, type Session } from "../../support/e2e/console-client.ts";
import { type Gateway, setUp, startGateway } from "../../support/e2e/fixture.ts";

/** The other user, and the number of each of that user's rows. */
const THEIR_ID = 500;
/** In every text of theirs. */
const MARK = "only-theirs";
/** What a call of theirs cost and how many tokens it had: sums that nobody else has. */
const THEIR_SUM = 7_654_321;
const PASSWORD = "some-password-1";

type Schema = Readonly<{
  type?: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  anyOf?: readonly Schema[];
  const?: unknown;
}>;
type Operation = Readonly<{
  security?: readonly Record<string, unknown>[];
  parameters?: readonly { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}>;
type Route = Readonly<{ method: string; path: string; operation: Operation }>;

let dataDir: string;
let gateway: Gateway;
let me: Session;
let root: Session;
let before: unknown;
let routes: readonly Route[];

/** What a parameter of this name would have to be to name something of theirs. */
const THEIRS = {
  username: `${MARK}-user`,
  user: `${MARK}-user`,
  keyword: MARK,
  token_name: `${MARK}-key`,
  token: `${MARK}-secret`,
  model_name: `${MARK}-model`,
  request_id: `${MARK}-request`,
  mj_id: `${MARK}-drawing`,
  task_id: `${MARK}-song`,
  trade_no: `${MARK}-order`,
  group: "default",
  before: `99999999999-${THEIR_ID}`,
};
const NAMES: Readonly<Record<string, string>> = THEIRS;
/** They narrow by time or page, and would only hide what must not be seen; a ticket stands for whoever was given it. */
const NARROWING =
  /^(p|page|page_size|size|type|step|start_timestamp|end_timestamp|offset_minutes|sort|order|by|status|failed|download_ticket)$/;
/** Needed by some calls. */
const NEEDED: Readonly<Record<string, string>> = { by: "token", step: "day" };

/** Rows of every kind that belong to them. */
async function addTheirs(): Promise<void> {
  const database = await openDatabase({ databaseUrl: null, dataDir });
  const now = Math.floor(Date.now() / 1000) - 3600;
  const id = THEIR_ID;
  await database.sql.begin(async (tx) => {
    await tx`insert into users (id, username, display_name, email, aff_code, quota, created_at)
      values (${id}, ${THEIRS.username}, ${MARK}, ${`${MARK}@example.org`}, 'thrs', ${THEIR_SUM}, ${now})`;
    await tx`insert into tokens (id, user_id, name, key_hash, key_cipher, remain_quota, created_time)
      values (${id}, ${id}, ${THEIRS.token_name}, ${MARK}, ${MARK}, ${THEIR_SUM}, ${now})`;
    await tx`insert into logs (id, created_at, type, user_id, username, token_id, token_name, model_name, channel_id, "group",
        quota, prompt_tokens, content, request_id, other)
      select ${id} + n, ${now}, n, ${id}, ${THEIRS.username}, ${id}, ${THEIRS.token_name}, ${THEIRS.model_name}, ${id}, 'default',
        ${THEIR_SUM}, ${THEIR_SUM}, ${MARK}, case when n = 2 then ${THEIRS.request_id} end, '{}'
      from generate_series(1, 5) n`;
    await addUp(tx, { user: id, token: id, channel: id });
    await tx`insert into drawing_tasks (id, user_id, token_id, channel_id, action, mj_id, prompt, created_at, submit_time)
      values (${id}, ${id}, ${id}, ${id}, 'IMAGINE', ${THEIRS.mj_id}, ${MARK}, ${now}, ${now * 1000})`;
    await tx`insert into media_tasks (id, user_id, token_id, channel_id, platform, action, task_id, created_at, updated_at,
        submit_time, properties)
      values (${id}, ${id}, ${id}, ${id}, 'suno', 'MUSIC', ${THEIRS.task_id}, ${now}, ${now}, ${now},
        ${JSON.stringify({ input: MARK })}::text::jsonb)`;
    await tx`insert into top_up_orders (id, user_id, trade_no, method, quota, money, status, created_time)
      values (${id}, ${id}, ${THEIRS.trade_no}, 'zfb', ${THEIR_SUM}, 7.65, 'success', ${now})`;
    await tx`insert into agents (user_id, rate, balance, earned, note, created_time)
      values (${id}, 5, ${THEIR_SUM}, ${THEIR_SUM}, ${MARK}, ${now})`;
    await tx`insert into rebates (id, user_id, recharge_quota, quota, created_time)
      values (${id}, ${id}, ${THEIR_SUM}, ${THEIR_SUM}, ${now})`;
    await tx`insert into withdrawals (id, user_id, quota, account, created_time)
      values (${id}, ${id}, ${THEIR_SUM}, ${MARK}, ${now})`;
    await tx`insert into passkeys (id, user_id, name, public_key, created_at)
      values (${String(id)}, ${id}, ${MARK}, 'x', ${now})`;
  });
  await database.close();
}

/** Everything of theirs that the database holds. */
async function readTheirs(): Promise<unknown> {
  const database = await openDatabase({ databaseUrl: null, dataDir });
  const held: Record<string, unknown> = {};
  for (const table of [
    "tokens",
    "logs",
    "drawing_tasks",
    "media_tasks",
    "top_up_orders",
    "agents",
    "rebates",
    "withdrawals",
    "passkeys",
  ])
    held[table] = await database.sql.unsafe(`select * from ${table} where user_id = ${THEIR_ID} order by 1`);
  held.users = await database.sql.unsafe(
    `select username, quota, status, "group", email, setting from users where id = ${THEIR_ID}`,
  );
  await database.close();
  return JSON.parse(JSON.stringify(held));
}

/** A body that such a route takes, which names their rows wherever it names any. */
function bodyOf(schema: Schema, name = ""): unknown {
  if ("const" in schema) return schema.const;
  if (schema.anyOf) return bodyOf(schema.anyOf[0] ?? {}, name);
  if (schema.type === "object" || schema.properties) {
    const named = Object.entries(schema.properties ?? {}).filter(
      ([key]) => schema.required?.includes(key) || /(^|_)ids?$/.test(key),
    );
    return Object.fromEntries(named.map(([key, value]) => [key, bodyOf(value, key)]));
  }
  if (schema.type === "array") return [THEIR_ID];
  if (schema.type === "boolean") return true;
  if (schema.type === "string") return NAMES[name] ?? "x";
  return name === "status" ? 2 : THEIR_ID;
}

const filled = (address: string): string => address.replace(/\{[^}]+\}/g, String(THEIR_ID));

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "sluice-own-rows-"));
  await addTheirs();
  before = await readTheirs();
  const unlimited = { GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT_ENABLE: "false" };
  gateway = await startGateway({ dataDir, env: unlimited });
  root = await setUp(gateway);
  await root.post("/api/user/", { username: "somebody", display_name: "Somebody", password: PASSWORD });
  me = await login(gateway, "somebody", PASSWORD);
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  routes = Object.entries(document.paths).flatMap(([address, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => address.startsWith("/api/") && Object.hasOwn(security?.[0] ?? {}, "user"))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path: address, operation })),
  );
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("their rows are there for administrators", async () => {
  for (const list of ["/api/log/", "/api/mj/", "/api/task/", "/api/topup/", "/api/user/"])
    expect(await (await root.send("GET", list)).text()).toContain(MARK);
});

test("no parameter of a reading call shows another's rows or sums", async () => {
  const wrong: string[] = [];
  let requestCount = 0;
  for (const { method, path: address, operation } of routes) {
    if (method !== "GET" || address.endsWith("/logout") || /\/(live|stream)$/.test(address)) continue;
    const offered = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => name);
    // Also what the call does not offer: it must be ignored.
    const naming = [...new Set([...offered, "user_id", "username", "token_id", "id"])].filter(
      (name) => !NARROWING.test(name),
    );
    const theirs = (name: string) => NAMES[name] ?? String(THEIR_ID);
    const needed = offered.flatMap((name): [string, string][] => (NEEDED[name] ? [[name, NEEDED[name]]] : []));
    const queries = [[], ...naming.map((name) => [name]), naming].map(
      (names) => new URLSearchParams([...needed, ...names.map((name): [string, string] => [name, theirs(name)])]),
    );
    for (const query of queries) {
      const reply = await me.send("GET", `${filled(address)}?${query}`);
      const text = await reply.text();
      requestCount += 1;
      // What was asked for may come back in a refusal.
      const body = text.startsWith('{"success":false') ? "" : text;
      if (reply.status >= 500 || reply.status === 401 || body.includes(MARK) || body.includes(String(THEIR_SUM)))
        wrong.push(`${address}?${query} → ${reply.status} ${text.slice(0, 200)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(requestCount).toBeGreaterThan(100);
}, 240_000);

test("no writing call changes another's rows", async () => {
  const wrong: string[] = [];
  let requestCount = 0;
  for (const { method, path: address, operation } of routes) {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    const body = schema && (bodyOf(schema) as Record<string, unknown>);
    const names = address.includes("{") || Object.keys(body ?? {}).some((key) => /(^|_)ids?$/.test(key));
    if (method === "GET" || !names) continue;
    for (const query of method === "PUT" ? ["", "?status_only=true"] : [""]) {
      const reply = await me.send(method, filled(address) + query, body);
      const text = await reply.text();
      requestCount += 1;
      if (reply.status >= 500 || reply.status === 401 || text.includes(`${MARK}-`))
        wrong.push(`${method} ${address} → ${text.slice(0, 200)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(requestCount).toBeGreaterThan(5);
  expect(await gateway.stop()).toBe(0);
  expect(await readTheirs()).toEqual(before);
}, 240_000);
