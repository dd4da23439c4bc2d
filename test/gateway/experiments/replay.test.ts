/** Stored requests, sent again to other models, prompts and routes, with their results and costs in a database. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import pino from "pino";
import { logs } from "../../../db/schema/logs/logs.ts";
import { evaluationResults, evaluations, type ReplayTarget, replayCalls } from "../../../db/schema/models/replays.ts";
import { readSpend } from "../../../src/billing/operator-spend.ts";
import { deleteReplayedCalls } from "../../../src/domain/accounts/users/delete-user.ts";
import { createReplaySet, deleteReplaySet } from "../../../src/domain/models/replays/create-set.ts";
import {
  ALL_DAYS,
  createEvaluation,
  evaluationPurpose,
  type NewEvaluation,
  resumeEvaluation,
  stopEvaluation,
} from "../../../src/domain/models/replays/manage-evaluations.ts";
import { listReplaySets, readEvaluation } from "../../../src/domain/models/replays/read-replays.ts";
import { runEvaluations } from "../../../src/domain/models/replays/run-evaluations.ts";
import { nowSeconds } from "../../../src/lib/clock.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { fixedSettings } from "../../support/lib/settings.ts";
import { until } from "../../support/lib/until.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
/** A token's name for each test, by which its requests are found. */
let mark = "";
beforeEach(() => {
  mark = Bun.randomUUIDv7();
});
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Body = { model: string; messages: { role: string; content: string }[] } & Record<string, unknown>;
type Behavior = (body: Body) => Response | Promise<Response>;

const says = (content: string, prompt = 10, completion = 5) =>
  Response.json(
    chatReply({
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: prompt, completion_tokens: completion },
    }),
  );
const responds = (text: string) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "x", status: "completed" },
  output: [{ type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
});
const fails = (status = 500) => Response.json({ error: { message: "broken" } }, { status });
const OPTIONS = {
  ModelRatio: '{"old":1,"new":3,"judge":5}',
  CompletionRatio: '{"old":1,"new":1,"judge":1}',
  LogChatContentEnabled: "true",
  GroupRatio: '{"default":0.5}',
};

/** A gateway whose model `old` has served requests that are in the log; prices: 1, 3 and 5 units a token. */
function start(behaviors: Record<string, Behavior>, options: Record<string, string> = {}) {
  const upstream = startUpstream(({ text }) => {
    const body = JSON.parse(text);
    return behaviors[body.model]?.(body) ?? fails();
  });
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["old", "new", "judge"] }],
    options: { ...OPTIONS, ...options },
  });
  stops.push(relay.stop, upstream.stop);
  const ask = async (body: object, path = "/v1/chat/completions") => {
    const before = relay.billing.records.length;
    await (await relay.post(path, { model: "old", ...body })).text();
    await until(() => relay.billing.records.length > before);
    const [row] = relay.billing.records.slice(-1);
    if (!row) throw new Error("nothing was recorded");
    await database.db.insert(logs).values({
      ...{ ...row, tokenName: mark, type: 2, useTime: 0, other: JSON.stringify(row.other) },
    });
  };
  const chat = (content: string) => ask({ messages: [{ role: "user", content }] });
  const settings = fixedSettings({ ...OPTIONS, ...options });
  const deps = { db: database.db, settings, replayer: relay.replayer, log: pino({ level: "silent" }) };
  const createSet = (maxCalls = 100, filter: object = {}) => {
    const times = { start: nowSeconds() - 3600, end: nowSeconds() + 60 };
    const chosen = { name: "Last week", filter: { ...times, token_name: mark, ...filter }, maxCalls };
    return createReplaySet(deps, 1, chosen);
  };
  const begin = (setId: number, target: ReplayTarget, fields: Partial<NewEvaluation> = {}, quotaPerUnit = 500_000) =>
    createEvaluation(database.db, 1, quotaPerUnit, {
      ...{ setId, name: "try", target, judge: null, maxUsd: 1, maxConcurrent: 4 },
      ...fields,
    });
  const run = (signal = new AbortController().signal) => runEvaluations({ ...deps, sleep: async () => {} }, signal);
  const bodies = (model: string) =>
    upstream.received.map(({ text }): Body => JSON.parse(text)).filter((body) => body.model === model);
  return { relay, upstream, ask, chat, createSet, begin, run, bodies };
}

const rows = (id: number) => database.db.select().from(evaluationResults).where(eq(evaluationResults.evaluationId, id));
const spent = (id: number) => readSpend(database.db, evaluationPurpose(id), ALL_DAYS);
const statusOf = async (id: number) =>
  (await database.db.select().from(evaluations).where(eq(evaluations.id, id)))[0]?.status;

test("stored requests are sent to another model: results side by side, charged to nobody, at list price", async () => {
  const { relay, chat, createSet, begin, run, bodies } = start({
    old: () => says("old response"),
    new: () => says("new response", 12, 9),
  });
  await chat("one");
  await chat("two");
  const charged = relay.billing.records.length;
  const set = await createSet();
  const id = await begin(set, { model: "new" });
  await run();
  const { evaluation, comparisons, calls } = await readEvaluation(database.db, id, 0);
  // 21 tokens at 3; the earlier ones 15 tokens at 1, of which the group pays half.
  expect(evaluation).toMatchObject({ status: "complete", calls: 2, done: 2, failed: 0, spent: 126, max_cost: 500_000 });
  expect(calls.map(({ before, after }) => [before.text, before.cost, after.text, after.cost])).toEqual(
    Array(2).fill(["old response", 15, "new response", 63]),
  );
  expect(comparisons.find(({ metric }) => metric === "cost")).toMatchObject({ control: 15, trial: 63 });
  expect(
    bodies("new")
      .map(({ messages }) => messages[0]?.content)
      .sort(),
  ).toEqual(["one", "two"]);
  expect(relay.billing.records).toHaveLength(charged);
  expect(relay.billing.openHolds).toBe(0);
  expect(await listReplaySets(database.db)).toContainEqual(
    expect.objectContaining({ id: set, calls: 2, evaluations: [expect.objectContaining({ id, done: 2 })] }),
  );
});

test("another system prompt takes the place of the request's own, in every client format", async () => {
  const reply: Behavior = ({ input }) => (input === undefined ? says("a") : Response.json(responds("a")));
  const { ask, createSet, begin, run, bodies } = start({ old: reply, new: reply });
  const system = { role: "system", content: "Be long." };
  await ask({ messages: [system, { role: "user", content: "Hi" }] });
  await ask({ system: "Be long.", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }, "/v1/messages");
  await ask({ instructions: "Be long.", input: "Hi" }, "/v1/responses");
  await ask(
    { systemInstruction: { parts: [{ text: "Be long." }] }, contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    "/v1beta/models/old:generateContent",
  );
  await begin(await createSet(), { model: "new", system_prompt: "Be brief." });
  await run();
  expect(bodies("old").map((body) => JSON.stringify(body).includes("Be long."))).toEqual(Array(4).fill(true));
  expect(bodies("new")).toHaveLength(4);
  for (const body of bodies("new")) {
    const text = JSON.stringify(body);
    expect([text.includes("Be brief."), text.includes("Be long."), text.includes("Hi")]).toEqual([true, false, true]);
  }
});

test("only requests whose content is stored, that act on nothing, are set aside; the others are counted", async () => {
  const { ask, chat, createSet } = start({ old: () => says("a") }, { LogContentMaxCharacters: "200" });
  await chat("short");
  await chat("long ".repeat(100));
  await ask({ messages: [{ role: "user", content: "x" }], tools: [{ type: "web_search" }] });
  const id = await createSet();
  const [set] = (await listReplaySets(database.db)).filter((each) => each.id === id);
  expect(set).toMatchObject({ calls: 1, skipped: { cut: 1, acts: 1 } });
  expect(createSet(100, { model: "nobody" })).rejects.toMatchObject({ code: "replay_no_requests" });
  const unlogged = start({ old: () => says("a") }, { LogChatContentEnabled: "false" });
  mark = Bun.randomUUIDv7();
  await unlogged.chat("short");
  expect(unlogged.createSet()).rejects.toMatchObject({ code: "replay_no_requests" });
});

test("other prices alone are compared without sending anything, exactly", async () => {
  const { chat, createSet, begin, run, upstream } = start({ old: () => says("a", 1001, 77) });
  await chat("one");
  const sent = upstream.received.length;
  const id = await begin(await createSet(), { prices: { input: 0.15, output: 0.6 } });
  await run();
  // (1001 × 0.15 + 77 × 0.6) / 1,000,000 × 500,000 = 98.175
  expect((await rows(id)).map(({ cost, failed }) => [cost, failed])).toEqual([[98, false]]);
  expect(upstream.received).toHaveLength(sent);
  expect(await spent(id)).toBe(0);
});

test("a route serves requests with its fallbacks, and what it cost is added up", async () => {
  const route = JSON.stringify({ best: { candidates: [{ model: "new" }, { model: "old" }] } });
  const { chat, createSet, begin, run } = start(
    { old: () => says("fallback"), new: () => fails() },
    { ModelRoutes: route },
  );
  await chat("one");
  const id = await begin(await createSet(), { model: "best" });
  await run();
  expect(await rows(id)).toMatchObject([{ model: "old", text: "fallback", cost: 15, failed: false }]);
  expect(await spent(id)).toBe(15);
});

test("a judge compares twice, with the responses swapped: only what it says both times counts", async () => {
  const questions = { fair: 0, biased: 0 };
  const judge: Behavior = ({ messages }) => {
    const shown = messages[1]?.content ?? "";
    if (shown.includes("biased")) {
      questions.biased += 1;
      return says('{"winner": "A", "reason": "The first."}', 100, 20);
    }
    questions.fair += 1;
    const winner = shown.indexOf("good") < shown.indexOf("bad") ? "A" : "B";
    return says(`{"winner": "${winner}", "reason": "It is good."}`, 100, 20);
  };
  const { chat, createSet, begin, run } = start({ old: () => says("bad"), new: () => says("good"), judge });
  for (const content of ["fair", "biased"]) await chat(content);
  const id = await begin(
    await createSet(),
    { model: "new" },
    { judge: { model: "judge", group: "default", instructions: "" } },
  );
  await run();
  expect(questions).toEqual({ fair: 2, biased: 2 });
  const result = await readEvaluation(database.db, id, 0);
  expect(result.verdicts).toEqual({ after: 1, before: 0, tie: 0, unsure: 1 });
  // Each time 120 tokens at 5.
  expect((await rows(id)).map(({ judgeCost }) => judgeCost)).toEqual([1200, 1200]);
  expect(await spent(id)).toBe(2 * (45 + 1200));
});

test("spend stays within the limit under concurrency; a higher one goes on with what is left", async () => {
  const { ask, createSet, begin, run, bodies } = start({ old: () => says("a"), new: () => says("b") });
  for (let call = 0; call < 12; call += 1) await ask({ messages: [{ role: "user", content: "Hi" }], max_tokens: 5 });
  // A dollar is 200 units: of calls that cost 45 and may cost at most 60 or so, three fit.
  const id = await begin(await createSet(), { model: "new" }, { maxConcurrent: 8 }, 200);
  await run();
  expect(await statusOf(id)).toBe("over_budget");
  const sent = bodies("new").length;
  expect(sent).toBeGreaterThan(0);
  expect(await spent(id)).toBe(45 * sent);
  expect(await spent(id)).toBeLessThanOrEqual(200);
  await resumeEvaluation(database.db, id, 200, 100);
  await run();
  expect(await statusOf(id)).toBe("complete");
  expect(bodies("new")).toHaveLength(12);
  expect(await spent(id)).toBe(45 * 12);
});

test("an evaluation stops, and goes on after a restart without sending anything twice", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer = async () => {
    await held;
    return says("b");
  };
  const { chat, createSet, begin, run, bodies } = start({ old: () => says("a"), new: answer });
  for (const content of ["1", "2", "3", "4"]) await chat(content);
  const id = await begin(await createSet(), { model: "new" }, { maxConcurrent: 2 });
  const shutdown = new AbortController();
  const running = run(shutdown.signal);
  await until(() => bodies("new").length === 2);
  shutdown.abort();
  release();
  await running;
  expect([await statusOf(id), (await rows(id)).length]).toEqual(["running", 2]);
  await stopEvaluation(database.db, id);
  await run();
  expect(bodies("new")).toHaveLength(2);
  await resumeEvaluation(database.db, id, 500_000, undefined);
  await run();
  expect([await statusOf(id), (await rows(id)).length]).toEqual(["complete", 4]);
  expect(
    bodies("new")
      .map(({ messages }) => messages[0]?.content)
      .sort(),
  ).toEqual(["1", "2", "3", "4"]);
});

test("a busy provider gets the request again; other failures are results, which a resumed evaluation tries again", async () => {
  const answers = [fails(429), says("b"), fails(400), says("c")];
  const { chat, createSet, begin, run } = start({ old: () => says("a"), new: () => answers.shift() ?? fails() });
  for (const content of ["1", "2"]) await chat(content);
  const id = await begin(await createSet(), { model: "new" }, { maxConcurrent: 1 });
  await run();
  expect((await rows(id)).map(({ failed }) => failed).sort()).toEqual([false, true]);
  await resumeEvaluation(database.db, id, 500_000, undefined);
  await run();
  expect((await rows(id)).map(({ text }) => text).sort()).toEqual(["b", "c"]);
});

test("who is deleted leaves no requests; a set goes with its evaluations, but not while it is replayed", async () => {
  const { chat, createSet, begin, run } = start({ old: () => says("a"), new: () => says("b") });
  await chat("one");
  const set = await createSet();
  const id = await begin(set, { model: "new" });
  expect(deleteReplaySet(database.db, set)).rejects.toMatchObject({ code: "replay_set_missing" });
  await run();
  const [call] = await database.db.select().from(replayCalls).where(eq(replayCalls.setId, set));
  await deleteReplayedCalls(database.db, call?.userId ?? 0);
  expect(await rows(id)).toEqual([]);
  expect(await database.db.select().from(replayCalls).where(eq(replayCalls.setId, set))).toEqual([]);
  await deleteReplaySet(database.db, set);
  expect(await statusOf(id)).toBeUndefined();
});
