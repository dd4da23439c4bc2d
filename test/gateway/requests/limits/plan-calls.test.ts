import { afterAll, afterEach, beforeAll, expect, setSystemTime, test } from "bun:test";
import type { PlanInput } from "../../../../src/domain/wallet/plans/plans.ts";
import { temporaryDirectory } from "../../../support/billing/start-billing.ts";
import { startPlanRelay } from "../../../support/billing/start-plan-relay.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chatReply, chunk, pacedSse } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

let database: TestDatabase;
let files: Awaited<ReturnType<typeof temporaryDirectory>>;
const stops: (() => unknown)[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  files = await temporaryDirectory();
});
afterEach(async () => {
  setSystemTime();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(async () => {
  await database.close();
  await files.remove();
});

const start = async (
  wallet: number,
  plans: readonly Partial<PlanInput>[],
  answer?: Parameters<typeof startPlanRelay>[3],
) => {
  const started = await startPlanRelay({ database, dataDir: files.path }, wallet, plans, answer);
  stops.push(started.stop);
  return started;
};

const CALLS: Partial<PlanInput> = { name: "Calls", windowQuota: 0, windowCalls: 2, window: "5h" };

test("a plan pays calls by their number, then the balance pays; each receipt says which call it was", async () => {
  const { ask, look } = await start(1_000_000, [CALLS]);
  expect((await ask("gpt-4o")).status).toBe(200);
  const first = await look();
  expect(first).toMatchObject({ quota: 0, wallet: 1_000_000, calls: { Calls: 1 } });
  expect(first.receipts).toEqual([{ subscription: expect.any(Number), plan: "Calls", units: 0, call: 1, calls: 2 }]);
  // What it would have cost stands on the receipt.
  expect(JSON.parse(first.row?.other).receipt.total).toBeGreaterThan(0);
  expect((await ask("o3")).status).toBe(200);
  expect((await look()).receipts).toMatchObject([{ call: 2, calls: 2 }]);
  expect((await ask("gpt-4o")).status).toBe(200);
  const third = await look();
  expect(third.receipts).toEqual([]);
  expect(third.wallet).toBe(1_000_000 - third.quota);
  expect(third.quota).toBeGreaterThan(0);
});

test("a call that is refused or fails gives its call back, one that fails over counts once", async () => {
  let failures = 100;
  const { ask, look, upstream } = await start(0, [CALLS], () => {
    failures -= 1;
    return failures < 0 ? Response.json(chatReply()) : Response.json({ error: { message: "broken" } }, { status: 500 });
  });
  expect((await ask("gpt-4o", "/v1/chat/completions", { messages: "none" })).status).toBe(400);
  expect((await ask("gpt-4o")).status).toBeGreaterThanOrEqual(500);
  expect(await look()).toMatchObject({ receipts: [], calls: { Calls: 2 } });
  failures = 1;
  const before = upstream.received.length;
  expect((await ask("gpt-4o")).status).toBe(200);
  expect(upstream.received).toHaveLength(before + 2);
  expect(await look()).toMatchObject({ receipts: [{ call: 1 }], calls: { Calls: 1 }, wallet: 0 });
});

test("a call that its client leaves counts if it would be charged", async () => {
  const { ask, look } = await start(0, [CALLS], () =>
    pacedSse([chunk({ role: "assistant", content: "Hello" }), () => new Promise(() => {})]),
  );
  const client = new AbortController();
  const answer = await ask("gpt-4o", "/v1/chat/completions", { stream: true }, { signal: client.signal });
  await answer.body?.getReader().read();
  client.abort();
  await until(async () => (await look()).row !== undefined);
  expect(await look()).toMatchObject({ quota: 0, receipts: [{ call: 1, calls: 2 }], calls: { Calls: 1 } });
});

test("who has used up the calls is refused until they renew, in each API's format, and served then", async () => {
  const { ask, look, relay, upstream } = await start(1_000_000, [
    { ...CALLS, name: "Strict", windowCalls: 1, allowsOverage: false },
  ]);
  expect((await ask("gpt-4o")).status).toBe(200);
  await look();
  const refused = await ask("gpt-4o");
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(5 * 3600 - 120);
  expect(seconds).toBeLessThanOrEqual(5 * 3600);
  const message = expect.stringMatching(
    /^Quota of the plan Strict exceeded: the 1 calls that it includes are used up\. .* \d{4}-\d\d-\d\d \d\d:\d\d UTC, in \d+ min\./,
  );
  expect(await refused.json()).toMatchObject({ error: { code: "insufficient_quota", message } });
  expect(await (await ask("gpt-4o", "/v1/messages")).json()).toMatchObject({
    type: "error",
    error: { type: "billing_error", message },
  });
  const contents = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  const gemini = await relay.post("/v1beta/models/gpt-4o:generateContent", contents);
  expect(gemini.status).toBe(429);
  expect(await gemini.json()).toMatchObject({ error: { code: 429, status: "RESOURCE_EXHAUSTED", message } });
  const responses = await relay.post("/v1/responses", { model: "gpt-4o", input: "Hi" });
  expect(await responses.json()).toMatchObject({ error: { code: "insufficient_quota", message } });
  expect(upstream.received).toHaveLength(1);
  // The second the window is over, the first of the calls that come fills it for all of them.
  setSystemTime(Date.now() + seconds * 1000);
  const outcomes = await Promise.all(Array.from({ length: 20 }, async () => (await ask("gpt-4o")).status));
  expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
  expect(await look()).toMatchObject({ receipts: [{ call: 1, calls: 1 }], wallet: 1_000_000 });
});

test.each<[string, Partial<PlanInput>]>([
  ["included calls", { windowCalls: 3 }],
  ["quota", { windowCalls: 0, windowQuota: 200, models: ["gpt-*"] }],
])(
  "the first calls of a window of five hours, in parallel: who is refused for %s waits five hours",
  async (_, values) => {
    const answers = Promise.withResolvers<void>();
    const { ask, look } = await start(1_000_000, [{ ...CALLS, allowsOverage: false, ...values }], async () => {
      await answers.promise;
      return Response.json(chatReply());
    });
    const calls = Array.from({ length: 30 }, () => ask("gpt-4o"));
    const refusals: number[] = [];
    for (const call of calls) {
      void call.then(async (reply) => {
        if (reply.status !== 429) return;
        const { error } = await reply.json();
        expect(error.code).toBe("insufficient_quota");
        const seconds = Number(reply.headers.get("retry-after"));
        if (values.windowCalls) expect(error.message).toContain(`in ${Math.ceil(seconds / 60)} min`);
        refusals.push(seconds);
      });
    }
    // None of those under way was charged yet, so the window has not begun.
    await until(() => refusals.length >= 20);
    const burst = [...refusals];
    answers.resolve();
    await Promise.all(calls);
    await look();
    await until(async () => {
      const reply = await ask("gpt-4o");
      refusals.push(Number(reply.headers.get("retry-after")));
      return reply.status === 429;
    });
    for (const seconds of [...burst, refusals.at(-1) ?? 0]) {
      expect(seconds).toBeGreaterThan(5 * 3600 - 120);
      expect(seconds).toBeLessThanOrEqual(5 * 3600);
    }
  },
);

test("with an empty balance the refusal names the plan, and models of the plan alone take its calls", async () => {
  const { ask, look } = await start(0, [{ ...CALLS, windowCalls: 1, models: ["gpt-*"] }]);
  expect(await (await ask("o3")).json()).toMatchObject({ error: { code: "insufficient_quota" } });
  expect((await ask("gpt-4o")).status).toBe(200);
  expect(await (await ask("gpt-4o")).json()).toMatchObject({ error: { code: "insufficient_quota" } });
  expect(await look()).toMatchObject({ calls: { Calls: 0 } });
});

test("several plans: calls of five hours first, then the one that ends first, then quota", async () => {
  const { ask, look } = await start(0, [
    { name: "Quota", window: "month", windowQuota: 1_000_000 },
    { ...CALLS, name: "Daily", window: "day", windowCalls: 1 },
    { ...CALLS, name: "Hours", windowCalls: 1 },
  ]);
  const payers: (readonly string[])[] = [];
  for (const _ of [1, 2, 3]) {
    expect((await ask("gpt-4o")).status).toBe(200);
    payers.push((await look()).draws);
  }
  expect(payers).toEqual([["Hours"], ["Daily"], ["Quota"]]);
});
