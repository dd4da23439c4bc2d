/**
 * Priced tool calls while clients leave, servers fail, processes are killed and the database is away: what the log charges, the balance
 * and the answers agree.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChargedRow, chargesOf } from "../../../support/billing/books.ts";
import { createApiKey, login, ROOT_NAME, ROOT_PASSWORD } from "../../../support/e2e/console-client.ts";
import { type Gateway, type Session, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";
import { startTemporaryPostgres, type TemporaryPostgres } from "../../../support/processes/temporary-postgres.ts";
import { FAILURES, type Manner, startToolServer } from "./tool-server.ts";

/** 0.002 dollars. */
const CALL_PRICE = 1000;
const AMPLE = 50_000_000;
const PASSWORD = "some-password-1";

/** `isAnswered`: the client got a result. */
type Outcome = Readonly<{ id: string; requestId: string; isAnswered: boolean; code: unknown }>;

describe.each([
  ["the embedded database", false],
  ["a Postgres server, with two workers", true],
])("on %s", (_name, isServer) => {
  const [steady, faulty] = [startToolServer(), startToolServer()];
  let database: TemporaryPostgres | null = null;
  let env: Record<string, string> = {};
  let gateway: Gateway;
  let root: Session;
  let calls = 0;

  beforeAll(async () => {
    database = isServer ? await startTemporaryPostgres({ durable: false }) : null;
    env = database ? { DATABASE_URL: database.url, WORKERS: "2" } : {};
    gateway = await startGateway({ env });
    root = await setUp(gateway);
    for (const [name, { url }] of Object.entries({ steady, faulty })) {
      const server = { url, usd_per_call: "0.002", timeout_ms: 1_000 };
      const { id } = await root.post("/api/mcp-server/", { name, server });
      const tools = await root.get(`/api/mcp-server/${id}/tools`);
      await root.post(`/api/mcp-server/${id}/tools/approve`, {
        tools: tools.map(({ name: tool, hash }: { name: string; hash: string }) => ({ name: tool, hash })),
      });
    }
  }, 120_000);
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await database?.stop();
    for (const { stop } of [steady, faulty]) stop();
  }, 60_000);

  const addUser = async (quota: number) => {
    const username = `u${Bun.randomUUIDv7().slice(-10)}`;
    await root.post("/api/user/", { username, password: PASSWORD });
    const user = await login(gateway, username, PASSWORD);
    await root.put("/api/user/", { id: user.userId, quota });
    return { id: user.userId, username, quota, key: (await createApiKey(user)).key };
  };
  type User = Awaited<ReturnType<typeof addUser>>;

  const call = async ({ key }: User, manner: Manner, leaveAfterMs?: number): Promise<Outcome> => {
    calls += 1;
    const id = `call-${calls}`;
    const server = manner === "ok" || manner === "late" ? "steady" : "faulty";
    const signal = AbortSignal.timeout(leaveAfterMs ?? 30_000);
    const failed = { id, isAnswered: false, requestId: "", code: "no response" };
    try {
      const reply = await fetch(`${gateway.url}/mcp/${server}`, {
        ...{ method: "POST", signal, keepalive: false },
        headers: {
          ...{ authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
          ...{ accept: "application/json, text/event-stream", "mcp-session-id": `session-${calls % 4}` },
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: calls, method: "tools/call" },
          params: { name: "act", arguments: { id, manner } },
        }),
      });
      const text = await reply.text();
      const json = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
      const isAnswered = json.result?.content?.[0]?.text === `did ${id}` && !json.result.isError;
      const requestId = reply.headers.get("x-request-id") ?? "";
      return { id, requestId, isAnswered, code: json.error?.data?.code ?? json.error?.code ?? null };
    } catch {
      return failed;
    }
  };

  const accountOf = async ({ id }: User) => {
    const { quota, used_quota: used } = await root.get(`/api/user/${id}`);
    return { quota, used };
  };
  /** The charges once as many are in the log as there must be at least, and balance and log agree. */
  const settled = async (user: User, least: number): Promise<ChargedRow[]> => {
    const { rows } = await until(
      async () => ({ rows: await chargesOf(root, user.username), account: await accountOf(user) }),
      ({ rows, account: { quota, used } }) =>
        rows.length >= least && used === rows.length * CALL_PRICE && quota === user.quota - used,
    );
    expect(rows.map(({ quota: charged }) => charged)).toEqual(rows.map(() => CALL_PRICE));
    expect(new Set(rows.map(({ request_id: id }) => id)).size).toBe(rows.length);
    return rows;
  };
  const expectEachAnswerCharged = (outcomes: readonly Outcome[], rows: readonly ChargedRow[]) => {
    const charged = new Set(rows.map(({ request_id: id }) => id));
    const answered = outcomes.filter(({ isAnswered }) => isAnswered);
    expect(answered.filter(({ requestId }) => !charged.has(requestId))).toEqual([]);
    return answered;
  };
  const executedBy = (outcomes: readonly Outcome[]) => {
    const ids = new Set(outcomes.map(({ id }) => id));
    return steady.executed.filter((id) => ids.has(id));
  };

  test("calls that are answered or left are charged once, and those that fail are not", async () => {
    const user = await addUser(AMPLE);
    const outcomes: Outcome[] = [];
    const keepCalling = async (caller: number) => {
      for (let round = 0; round < 12; round += 1) {
        const failure = FAILURES[(caller + round) % FAILURES.length] ?? "cut";
        outcomes.push(await call(user, "ok"), await call(user, "late", 20 + 30 * (caller % 8)));
        if (round % 3 === 0) outcomes.push(await call(user, failure));
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, caller) => keepCalling(caller)));
    const executed = executedBy(outcomes);
    expect(new Set(executed).size).toBe(executed.length);
    // Of those who left, some did so before the server was called.
    expect(executed.length).toBeGreaterThan(12 * 12);
    const rows = await settled(user, executed.length);
    expect(rows).toHaveLength(executed.length);
    const answered = expectEachAnswerCharged(outcomes, rows);
    expect(answered.length).toBeGreaterThanOrEqual(12 * 12);
    expect(answered.length).toBeLessThan(executed.length);
    expect(new Set(rows.map(({ model_name: name }) => name))).toEqual(new Set(["mcp/steady/act"]));
    const codes = new Set(outcomes.filter(({ isAnswered }) => !isAnswered).map(({ code }) => code));
    expect([...codes]).toEqual(expect.arrayContaining(["mcp_server_failed", "no response"]));
  }, 120_000);

  test("a balance for five calls pays exactly five of many at once", async () => {
    const user = await addUser(5 * CALL_PRICE);
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => call(user, "late")));
    const rows = await settled(user, 5);
    expect(rows).toHaveLength(5);
    expect(executedBy(outcomes)).toHaveLength(5);
    expect(expectEachAnswerCharged(outcomes, rows)).toHaveLength(5);
    expect(new Set(outcomes.filter(({ isAnswered }) => !isAnswered).map(({ code }) => code))).toEqual(
      new Set(["insufficient_user_quota"]),
    );
    expect(await accountOf(user)).toEqual({ quota: 0, used: 5 * CALL_PRICE });
  }, 60_000);

  test("what was answered before a kill is charged once after it, and nothing else twice", async () => {
    const user = await addUser(AMPLE);
    const outcomes: Outcome[] = [];
    for (let round = 0; round < 3; round += 1) {
      let isOver = false;
      const keepCalling = async (caller: number) => {
        while (!isOver) outcomes.push(await call(user, caller % 3 ? "ok" : "late"));
      };
      const callers = Array.from({ length: 12 }, (_, caller) => keepCalling(caller));
      const before = outcomes.length;
      await until(() => outcomes.length > before + 60);
      expect(await gateway.stop("SIGKILL")).toBe(137);
      isOver = true;
      await Promise.all(callers);
      gateway = await startGateway({ dataDir: gateway.dataDir, env });
      root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    }
    const executed = executedBy(outcomes);
    expect(new Set(executed).size).toBe(executed.length);
    const answered = outcomes.filter(({ isAnswered }) => isAnswered);
    const rows = await settled(user, answered.length);
    expectEachAnswerCharged(outcomes, rows);
    // A call under way when the process was killed is charged if its result had come, and free otherwise.
    expect(rows.length).toBeLessThanOrEqual(executed.length);
    expect(executed.length - answered.length).toBeLessThanOrEqual(3 * 12);
    // Nothing that the killed processes held is held still.
    const more = await Promise.all(Array.from({ length: 10 }, () => call(user, "ok")));
    expect(more.every(({ isAnswered }) => isAnswered)).toBe(true);
    expect(await settled(user, rows.length + more.length)).toHaveLength(rows.length + more.length);
  }, 180_000);

  test.skipIf(!isServer)(
    "calls are answered while the database is away, and each is charged afterwards",
    async () => {
      const user = await addUser(AMPLE);
      const outcomes: Outcome[] = [await call(user, "ok")];
      let isOver = false;
      const keepCalling = async () => {
        while (!isOver) {
          outcomes.push(await call(user, "ok"));
          await Bun.sleep(20);
        }
      };
      const callers = Array.from({ length: 6 }, keepCalling);
      await until(() => outcomes.length > 40);
      await database?.shutDown();
      const down = outcomes.length;
      await until(() => outcomes.length > down + 200);
      await database?.startAgain();
      const up = outcomes.length;
      await until(() => outcomes.length > up + 60);
      isOver = true;
      await Promise.all(callers);
      expect(outcomes.filter(({ isAnswered }) => !isAnswered)).toEqual([]);
      const rows = await settled(user, outcomes.length);
      expect(rows).toHaveLength(outcomes.length);
      expectEachAnswerCharged(outcomes, rows);
    },
    180_000,
  );
});
