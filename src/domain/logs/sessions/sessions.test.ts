import { afterAll, beforeAll, expect, test } from "bun:test";
import { agentSessionFold, agentSessions } from "../../../../db/schema/logs/sessions.ts";
import { addUser } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import type { AgentSession } from "../../../billing/types.ts";
import { foldSessions } from "./fold-sessions.ts";
import { listSessions, readSession } from "./read-sessions.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const NOW = Math.floor(Date.now() / 1000);
const call = (userId: number, session: AgentSession | null, values = {}) => {
  const requestId = Bun.randomUUIDv7();
  const other = { request_id: requestId, cache_tokens: 4, frt: 90, ...(session && { agent_session: session }) };
  return callRecord({ requestId, userId, username: `user${userId}`, other, createdAt: NOW, ...values });
};
const fold = () => foldSessions(database.db, new AbortController().signal);
const list = (userId: number | null, search = "") => listSessions(database.db, { userId, search });

test("calls become sessions of their user, each counted once however often the job runs", async () => {
  await writeCalls(database, [call(3, { id: "before the first run", by: "header" })]);
  await fold();
  expect(await list(null)).toMatchObject([{ user_id: 3, calls: 1 }]);
  const run = (step: string, ...tools: string[]): AgentSession => ({ id: "run", by: "trace", step, tools });
  await writeCalls(database, [
    call(1, run("plan")),
    call(1, null),
    call(1, run("edit", "read", "grep"), { createdAt: NOW + 5, modelName: "gpt-4o-mini", failed: true }),
    call(2, { id: "run", by: "header" }),
  ]);
  await Promise.all([fold(), fold()]);
  await writeCalls(database, [call(1, run("plan"), { createdAt: NOW + 9 })]);
  await fold();
  await fold();
  expect(await list(1)).toMatchObject([
    {
      ...{ id: "run", source: "trace", username: "user1", started_at: NOW, ended_at: NOW + 9, calls: 3, failed: 1 },
      ...{ prompt_tokens: 30, cached_tokens: 12, completion_tokens: 60, elapsed_ms: 3 * 1234, tool_calls: 2 },
    },
  ]);
  expect(await list(null)).toHaveLength(3);
  expect(await list(null, "user2")).toMatchObject([{ user_id: 2, calls: 1 }]);
  expect(await list(null, "nobody")).toEqual([]);
});

test("a session is a tree of steps and calls; another user's is not found", async () => {
  const { steps } = await readSession(database.db, 1, "run");
  expect(steps.map(({ step, calls }) => [step, calls.map(({ created_at }) => created_at - NOW)])).toEqual([
    ["plan", [0, 9]],
    ["edit", [5]],
  ]);
  expect(steps[1]?.calls[0]).toMatchObject({ model: "gpt-4o-mini", failed: true, tools: ["read", "grep"] });
  expect(readSession(database.db, 3, "run")).rejects.toThrow("agent_session_not_found");
});

test("a call began when its id says, to the millisecond, and at its second where that says something else", async () => {
  const at = NOW * 1000 + 345;
  const made = (ms: number) => Bun.randomUUIDv7("hex", ms);
  await writeCalls(database, [
    call(11, { id: "timed", by: "header" }, { requestId: made(at) }),
    call(11, { id: "timed", by: "header" }, { requestId: `client-id~${made(at + 400)}` }),
    call(11, { id: "timed", by: "header" }, { requestId: made(at - 3_600_000) }),
    call(11, { id: "timed", by: "header" }, { requestId: "from-elsewhere" }),
  ]);
  await fold();
  const { steps } = await readSession(database.db, 11, "timed");
  const starts = steps.flatMap(({ calls }) => calls.map(({ started_ms }) => started_ms - NOW * 1000));
  expect(starts.toSorted((a, b) => a - b)).toEqual([0, 0, 345, 745]);
});

test("agents are a tree with the sums of each branch, over all calls of the session", async () => {
  const of = (agent: AgentSession["agent"], parent?: string, ...tools: string[]): AgentSession => ({
    ...{ id: "team", by: "header", tools },
    ...(agent && { agent, name: `/root/${agent}` }),
    ...(parent && { parent }),
  });
  const user = await addUser(database.sql, 100_000);
  await writeCalls(database, [
    call(user, of(undefined, undefined, "spawn"), { quota: 10 }),
    call(user, of("a", undefined, "read"), { quota: 200, createdAt: NOW + 1 }),
    call(user, of("b", "a", "grep", "read"), { quota: 3000, createdAt: NOW + 2, failed: true }),
    call(user, of("b", "a"), { quota: 3000, createdAt: NOW + 3 }),
    call(user, of(undefined, undefined, "wait"), { quota: 10, createdAt: NOW + 4 }),
  ]);
  await fold();
  const { agents, steps } = await readSession(database.db, user, "team");
  expect(agents).toMatchObject({
    own: { calls: 2, quota: 20, tool_calls: 2, elapsed_ms: 2 * 1234 },
    branch: { calls: 5, quota: 6220, failed: 1, tool_calls: 5, elapsed_ms: 5 * 1234, ended_at: NOW + 4 },
    children: [
      {
        ...{ agent: "a", name: "/root/a", own: { calls: 1, quota: 200 } },
        branch: { calls: 3, quota: 6200, failed: 1, tool_calls: 3, started_at: NOW + 1, ended_at: NOW + 3 },
        children: [{ agent: "b", branch: { calls: 2, quota: 6000, cached_tokens: 8 }, children: [] }],
      },
    ],
  });
  expect(steps.map(({ agent, calls }) => [agent, calls.length])).toEqual([
    ["", 2],
    ["a", 1],
    ["b", 2],
  ]);
});

test("sums are those of the log, also when many calls are written while the job runs", async () => {
  const session: AgentSession = { id: "busy", by: "header" };
  await Promise.all([
    ...Array.from({ length: 20 }, () =>
      writeCalls(
        database,
        Array.from({ length: 5 }, () => call(7, session)),
      ),
    ),
    ...Array.from({ length: 5 }, fold),
  ]);
  await fold();
  expect(await list(7)).toMatchObject([{ calls: 100, prompt_tokens: 1000, completion_tokens: 2000 }]);
});

test("old sessions are deleted with their calls, and log text that is no session is left alone", async () => {
  await writeCalls(database, [
    call(8, { id: "old", by: "header" }, { createdAt: NOW - 40 * 86_400 }),
    call(8, null, { other: { request_id: "x", content: 'says "agent_session":{' } }),
  ]);
  await fold();
  await fold();
  expect(await list(8)).toEqual([]);
  const [left] = await database.sql`select count(*)::int as calls from agent_session_calls where user_id = 8`;
  expect(left?.calls).toBe(0);
  expect(await database.db.select().from(agentSessionFold)).toHaveLength(1);
  expect((await database.db.select().from(agentSessions)).length).toBe(6);
});

test("calls of an agent that names no session are one from the second on", async () => {
  const byPrompt = (id: string): AgentSession => ({ id, by: "prompt" });
  await writeCalls(database, [call(9, byPrompt("prompt-1")), call(9, byPrompt("prompt-2"))]);
  await fold();
  expect(await list(9)).toEqual([]);
  await writeCalls(database, [call(9, byPrompt("prompt-1"))]);
  await fold();
  expect(await list(9)).toMatchObject([{ id: "prompt-1", source: "prompt", calls: 2 }]);
});
