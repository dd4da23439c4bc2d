/** Canaries and mirrors of routes, with their results and costs in a database. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import pino from "pino";
import { experimentCalls } from "../../../db/schema/models/replays.ts";
import { dayOf, readSpend } from "../../../src/billing/operator-spend.ts";
import { createExperimentStore, purposeOf } from "../../../src/domain/models/experiments/store.ts";
import { nowSeconds } from "../../../src/lib/clock.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
/** A name for each test: copies of an earlier one may end late. */
let route = "";
beforeEach(() => {
  route = `best-${Bun.randomUUIDv7()}`;
});
const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

type Behavior = (body: {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
}) => Response | Promise<Response>;

const usage = (prompt: number, completion: number) => ({ prompt_tokens: prompt, completion_tokens: completion });
const says = (content: string, tokens = usage(10, 5)) =>
  Response.json(
    chatReply({
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: tokens,
    }),
  );
const streams = (content: string, tokens = usage(10, 5)) =>
  sse(`${chunk({ content })}${chunk({}, {}, "stop")}${usageChunk(tokens)}${DONE}`);
const fails = () => Response.json({ error: { message: "overloaded" } }, { status: 503 });

/** A route to the model `old`, with an experiment on the model `new`; prices: 1, 3 and 5 units a token. */
function start(
  experiment: object,
  behaviors: Record<string, Behavior>,
  setup: Partial<Parameters<typeof startRelay>[0]> = {},
) {
  const upstream = startUpstream(({ text }) => {
    const body = JSON.parse(text);
    return behaviors[body.model]?.(body) ?? fails();
  });
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["old", "new", "judge"] }],
    experiments: createExperimentStore(database.db, pino({ level: "silent" })),
    ...setup,
    options: {
      ModelRatio: '{"old":1,"new":3,"judge":5}',
      CompletionRatio: '{"old":1,"new":1,"judge":1}',
      ModelRoutes: JSON.stringify({ [route]: { candidates: [{ model: "old" }], experiment } }),
      ...setup.options,
    },
  });
  stops.push(relay.stop, upstream.stop);
  const ask = async (content = "Hi", body: object = {}) => {
    const response = await relay.post("/v1/chat/completions", {
      model: route,
      messages: [{ role: "user", content }],
      ...body,
    });
    return { status: response.status, text: await response.text() };
  };
  const models = () => upstream.received.map(({ text }) => JSON.parse(text).model);
  return { relay, upstream, ask, models };
}

const rows = () =>
  database.db.select().from(experimentCalls).where(eq(experimentCalls.route, route)).orderBy(asc(experimentCalls.id));
const spent = async () => readSpend(database.db, purposeOf(route), dayOf(nowSeconds()));
const waitForRows = async (count: number) => {
  await until(async () => (await rows()).length >= count);
  return rows();
};
const MIRROR = { mode: "mirror", candidate: { model: "new" }, percent: 100 };

test("a copy goes to the new model: its response is discarded and its cost is the operator's, never the user's", async () => {
  const { relay, ask, models } = start(MIRROR, {
    old: () => says("old"),
    new: () => says("new", usage(12, 9)),
  });
  expect((await ask()).text).toContain("old");
  const [control, trial] = await waitForRows(2);
  // 15 tokens at 1, 21 tokens at 3.
  expect(control).toMatchObject({ isTrial: false, model: "old", failed: false, cost: 15, promptTokens: 10 });
  expect(trial).toMatchObject({
    isTrial: true,
    model: "new",
    failed: false,
    cost: 63,
    completionTokens: 9,
    status: 200,
  });
  expect(trial?.requestId).toBe(control?.requestId ?? "");
  expect(models()).toEqual(["old", "new"]);
  expect(await spent()).toBe(63);
  expect(relay.billing.records.map(({ quota }) => quota)).toEqual([15]);
  expect(relay.billing.openHolds).toBe(0);
});

test("a group's factor changes what the user pays, not what the copy costs the operator", async () => {
  const { relay, ask } = start(
    MIRROR,
    { old: () => says("old"), new: () => says("new") },
    { options: { GroupRatio: '{"default":0.5}' } },
  );
  await ask();
  const [control, trial] = await waitForRows(2);
  expect([control?.cost, trial?.cost]).toEqual([15, 45]);
  expect(relay.billing.records[0]?.quota).toBe(8);
});

test("the response does not wait for the copy, nor fail with it; streams are copied as streams", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { relay, ask } = start(MIRROR, {
    old: () => streams("old"),
    new: async () => {
      await held;
      return fails();
    },
  });
  expect((await ask("Hi", { stream: true })).text).toContain("[DONE]");
  expect(await rows()).toEqual([]);
  release();
  const [control, trial] = await waitForRows(2);
  expect(control).toMatchObject({ failed: false, firstTokenMs: expect.any(Number) });
  expect(trial).toMatchObject({ failed: true, status: 503, cost: 0 });
  expect(await spent()).toBe(0);
  // The channel serves both models: a failed copy is no reason to avoid it.
  expect(relay.disabled).toEqual([]);
  expect((await ask("Hi", { stream: true })).text).toContain("[DONE]");
  await waitForRows(4);
});

test("copies stay within the day's budget and the number at a time, also under many calls at once", async () => {
  // A dollar is 1,000 units: of copies that cost 45, and may cost at most 60 (4 tokens of output at most), 16 or more fit.
  const store = createExperimentStore(database.db, pino({ level: "silent" }));
  const decisions: boolean[] = [];
  const reserve: typeof store.reserve = async (...reservation) => {
    const reserved = await store.reserve(...reservation);
    decisions.push(reserved !== null);
    return reserved;
  };
  const { relay, ask, models } = start(
    { ...MIRROR, max_usd_per_day: 1, max_concurrent: 1000 },
    { old: () => says("old"), new: () => says("new") },
    { options: { QuotaPerUnit: "1000" }, experiments: { ...store, reserve } },
  );
  await Promise.all(Array.from({ length: 60 }, () => ask("Hi", { max_tokens: 5 })));
  await until(() => decisions.length === 60);
  const copies = decisions.filter((isReserved) => isReserved).length;
  expect(copies).toBeGreaterThan(0);
  await waitForRows(2 * copies);
  expect(await rows()).toHaveLength(2 * copies);
  expect(models().filter((model) => model === "new")).toHaveLength(copies);
  expect(copies).toBeLessThan(60);
  expect(await spent()).toBe(45 * copies);
  expect(await spent()).toBeLessThanOrEqual(1000);
  expect(relay.billing.records.map(({ quota }) => quota)).toEqual(Array(60).fill(15));
  const few = start(
    { ...MIRROR, max_concurrent: 1 },
    { old: () => says("old"), new: () => new Promise<Response>(() => {}) },
  );
  await few.ask();
  await few.ask();
  await until(() => few.models().includes("new"));
  expect(few.models().filter((model) => model === "new")).toHaveLength(1);
});

test("calls whose copy would act twice, or continues what is stored, are not copied", async () => {
  const { ask, models } = start(MIRROR, { old: () => says("old"), new: () => says("new") });
  await ask("Hi", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] });
  await ask("Hi", { tools: [{ type: "web_search" }] });
  await ask("Hi", { tools: [{ type: "function", function: { name: "f", parameters: {} } }] });
  await waitForRows(2);
  expect(models()).toEqual(["old", "old", "old", "new"]);
});

test("a judge compares both responses without knowing which is which, at the operator's cost", async () => {
  const { relay, ask, upstream } = start(
    { ...MIRROR, max_concurrent: 8, judge: { model: "judge", instructions: "Be strict." } },
    {
      old: () => says("a bad response"),
      new: () => says("a good response"),
      judge: ({ messages }) => {
        const shown = messages[1]?.content ?? "";
        const winner = shown.indexOf("good") < shown.indexOf("bad") ? "A" : "B";
        return says(`Here: {"winner": "${winner}", "reason": "It is good."}`, usage(100, 20));
      },
    },
  );
  for (let call = 0; call < 8; call += 1) await ask();
  const all = await waitForRows(16);
  const trials = all.filter(({ isTrial }) => isTrial);
  expect(trials.map(({ verdict, verdictReason }) => [verdict, verdictReason])).toEqual(
    Array(8).fill([1, "It is good."]),
  );
  // 120 tokens at 5.
  expect(trials.map(({ judgeCost }) => judgeCost)).toEqual(Array(8).fill(600));
  expect(await spent()).toBe(8 * (45 + 600));
  expect(relay.billing.records.map(({ quota }) => quota)).toEqual(Array(8).fill(15));
  const question = upstream.received.map(({ text }) => JSON.parse(text)).find(({ model }) => model === "judge");
  expect(question.messages[0].content).toContain("Be strict.");
});

test("a judge that no channel has leaves the comparison without verdicts", async () => {
  const { ask } = start({ ...MIRROR, judge: { model: "nobody" } }, { old: () => says("old"), new: () => says("new") });
  await ask();
  const [, trial] = await waitForRows(2);
  expect(trial).toMatchObject({ verdict: null, judgeCost: 0, cost: 45 });
});

test("a canary serves its share, as many other calls are compared, and users pay the model that served them", async () => {
  let draw = 0;
  const { relay, ask } = start(
    { mode: "canary", candidate: { model: "new" }, percent: 25 },
    { old: () => says("old"), new: () => says("new") },
    // A quarter is for the canary, the next quarter compared with it.
    { random: () => ((draw++ % 8) + 0.5) / 8 },
  );
  const texts: string[] = [];
  for (let call = 0; call < 40; call += 1) texts.push((await ask()).text);
  const rowsOfBoth = await waitForRows(20);
  const share = texts.filter((text) => text.includes('"new"')).length;
  expect(share).toBe(rowsOfBoth.filter(({ isTrial }) => isTrial).length);
  expect(relay.billing.records.map(({ quota }) => quota).sort()).toEqual([
    ...Array(40 - share).fill(15),
    ...Array(share).fill(45),
  ]);
  for (const { isTrial, model, cost } of rowsOfBoth) expect([model, cost]).toEqual(isTrial ? ["new", 45] : ["old", 15]);
  expect(await spent()).toBe(0);
});

test("where the canary fails the other models serve the call, and it counts as the canary's failure", async () => {
  const { relay, ask } = start(
    { mode: "canary", candidate: { model: "new" }, percent: 100 },
    { old: () => says("old"), new: fails },
  );
  const { status, text } = await ask();
  expect([status, text.includes('"old"')]).toEqual([200, true]);
  const [row] = await waitForRows(1);
  expect(row).toMatchObject({ isTrial: true, failed: true });
  expect(relay.billing.records).toMatchObject([{ quota: 15, failed: false }]);
});

test("the calls of a conversation stay on one side, and count once", async () => {
  const { ask, models } = start(
    { mode: "canary", candidate: { model: "new" }, percent: 50 },
    { old: () => says("old"), new: () => says("new") },
  );
  for (let conversation = 0; conversation < 12; conversation += 1) {
    for (let turn = 0; turn < 3; turn += 1) await ask("Hi", { prompt_cache_key: `conversation ${conversation}` });
  }
  const sides = Array.from({ length: 12 }, (_, at) => new Set(models().slice(3 * at, 3 * at + 3)).size);
  expect(sides).toEqual(Array(12).fill(1));
  expect(await waitForRows(12)).toHaveLength(12);
});
