/** What is held for a call, and of whom. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { callOf, createReserving, type Left } from "../../../test/support/billing/reserving.ts";
import { policyRules } from "../../../test/support/gateway/entries.ts";
import { FakeBilling } from "../../../test/support/gateway/fake-billing.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { InsufficientQuota } from "../../billing/ledger/errors.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import { createPolicyIndex } from "../../domain/accounts/organizations/policies/directory.ts";
import { compilePolicy } from "../../domain/accounts/organizations/policies/policy.ts";
import type { PlanTerms } from "../../domain/wallet/plans/limits/terms.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { GatewayError } from "../call/errors.ts";
import { priceCall } from "./price.ts";
import { type ReserveContext, reserve, reserveAffordable, upperCost } from "./reserve.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const CLAUDE = 14;
const RATIO = 1000;
const MAX_TOKENS = 7;
/** The same length for each, so that the prompts are equally long. */
const MARKS = {
  none: '"cache-control":{"ttl":"1h"}',
  short: '"cache_control":{"ttl":"5m"}',
  long: '"cache_control":{"ttl":"1h"}',
};

async function heldFor(mark: keyof typeof MARKS, space = ""): Promise<number> {
  const upstream = startUpstream(() =>
    Response.json({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-x", stop_reason: "end_turn" },
      content: [{ type: "text", text: "Hi" }],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  const relay = startRelay({
    channels: [{ type: CLAUDE, baseUrl: upstream.url, models: ["claude-x"] }],
    options: {
      ModelRatio: JSON.stringify({ "claude-x": RATIO }),
      CompletionRatio: '{"claude-x":1}',
      CacheCreationRatio: '{"claude-x":2}',
    },
  });
  stops.push(relay.stop, upstream.stop);
  const text = `{"type":"text","text":"Hi",${MARKS[mark].replace('"ttl":', `"ttl"${space}:${space}`)}}`;
  const body = `{"model":"claude-x","max_tokens":${MAX_TOKENS},"messages":[{"role":"user","content":[${text}]}]}`;
  const headers = { "content-type": "application/json", "x-api-key": "sk-test", "anthropic-version": "2023-06-01" };
  const response = await fetch(`${relay.url}/v1/messages`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
  return (relay.billing.holds[0]?.amount ?? 0) / RATIO - MAX_TOKENS;
}

test("the whole prompt is held as a cache write of the kind that the request asks for", async () => {
  const prompt = await heldFor("none");
  expect(prompt).toBeGreaterThan(0);
  expect(await heldFor("short")).toBe(prompt * 2);
  // Those of an hour cost 1.6 times those of five minutes.
  expect(await heldFor("long")).toBeCloseTo(prompt * 3.2, 6);
});

test("also where the request is written with spaces", async () => {
  expect((await heldFor("long", " ")) / (await heldFor("short", " "))).toBeCloseTo(1.6, 6);
});

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const USER = 1;
const [CALLS, BUDGET] = [11, 12];
const terms = (more: Partial<PlanTerms>): PlanTerms => ({
  ...{ id: 1, userId: USER, planName: "Pro", models: [], budgetId: null, callsBudgetId: null, windowCalls: 5 },
  ...{ allowsOverage: true, windowEnd: inAnHour(), rollingSeconds: 0, isWindowPending: false },
  ...{ requestsPerMinute: 0, tokensPerMinute: 0, ...more },
});

describe("who pays for a call of an account with plans", () => {
  /** `left`: of the balance and of the budgets of plans. */
  type Left = Readonly<{ user?: number; calls?: number; budget?: number }>;

  async function ask(plans: readonly PlanTerms[], { user = 1e9, calls = 5, budget = 1e9 }: Left, maxCallQuota = 0) {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const fake = new FakeBilling();
    const paidBy: [payer: number | "user", amount: number][] = [];
    const policy = {
      ...{ id: 1, organizationId: USER, projectId: 0, name: "House rules" },
      rules: policyRules({ max_call_quota: maxCallQuota }),
    };
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }],
      user: { id: USER, kind: "organization" },
      tokens: { test: { id: 5, userId: USER } },
      policies: createPolicyIndex(maxCallQuota > 0 ? [policy] : []),
      planTerms: { byUser: { get: () => plans } },
      billing: {
        ...fake.service,
        async reserve(request) {
          const { plan, amount } = request;
          const left = plan === undefined ? user : plan === CALLS ? calls : budget;
          if (amount > left) throw new InsufficientQuota(plan === undefined ? "user" : "budget", left, plan ?? USER);
          paidBy.push([plan ?? "user", amount]);
          return fake.service.reserve(request);
        },
      },
    });
    stops.push(relay.stop, upstream.stop);
    const response = await relay.post("/v1/chat/completions", {
      ...{ model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] },
    });
    const { error } = (await response.json()) as { error?: { code: string; message: string } };
    const retryAfter = Number(response.headers.get("retry-after") ?? 0);
    return {
      paidBy: paidBy.map(([payer]) => payer),
      amounts: paidBy.map(([, amount]) => amount),
      ...{ code: error?.code, message: error?.message },
      retryAfter,
    };
  }

  test("an included call, of which one is held", async () => {
    const { paidBy, amounts } = await ask([terms({ callsBudgetId: CALLS, budgetId: BUDGET })], {});
    expect([paidBy, amounts]).toEqual([[CALLS], [1]]);
  });

  test.each<[string, Partial<PlanTerms>, Left, number | "user"]>([
    ["the plan's budget after its included calls", { callsBudgetId: CALLS, budgetId: BUDGET }, { calls: 0 }, BUDGET],
    ["the plan's budget where it includes no calls", { budgetId: BUDGET }, {}, BUDGET],
    ["the balance after both", { callsBudgetId: CALLS, budgetId: BUDGET }, { calls: 0, budget: 0 }, "user"],
    ["the balance after included calls alone", { callsBudgetId: CALLS }, { calls: 0 }, "user"],
    ["the balance for models that the plan does not cover", { budgetId: BUDGET, models: ["claude-*"] }, {}, "user"],
    ["the plan for models that it covers", { budgetId: BUDGET, models: ["claude-*", "gpt-*"] }, {}, BUDGET],
  ])("%s", async (_, plan, left, payer) => {
    const { paidBy, amounts } = await ask([terms(plan)], left);
    expect(paidBy).toEqual([payer]);
    expect(amounts[0]).toBeGreaterThan(1);
  });

  test("the first of several plans that can", async () => {
    const spent = terms({ id: 1, budgetId: BUDGET, models: ["claude-*"] });
    const included = terms({ id: 2, callsBudgetId: CALLS });
    expect((await ask([spent, included], {})).paidBy).toEqual([CALLS]);
    expect((await ask([spent, included], { calls: 0 })).paidBy).toEqual(["user"]);
  });

  test("nobody where nothing is left: then the call waits for the plan's next window", async () => {
    const refused = await ask([terms({ callsBudgetId: CALLS })], { calls: 0, user: 0 });
    expect([refused.paidBy, refused.code]).toEqual([[], "insufficient_quota"]);
    expect(refused.message).toContain("Pro");
    expect(refused.retryAfter).toBeGreaterThan(3000);
    expect(refused.retryAfter).toBeLessThanOrEqual(3600);
    const rolling = terms({ callsBudgetId: CALLS, rollingSeconds: 60, isWindowPending: true });
    expect((await ask([rolling], { calls: 0, user: 0 })).retryAfter).toBeLessThanOrEqual(60);
  });

  test("nobody where a policy refuses the price, also of included calls", async () => {
    const plan = [terms({ callsBudgetId: CALLS })];
    expect(await ask(plan, {}, 1)).toMatchObject({ paidBy: [], code: "policy_price_exceeded" });
    expect(await ask(plan, {}, 1_000_000)).toMatchObject({ paidBy: [CALLS], code: undefined });
  });
});

const priced = (context: ReserveContext, call: Call) => ({ call, prices: priceCall(context.prices, call) });
const policyOf = (max_call_quota: number) => [
  compilePolicy({ name: "Frugal", rules: policyRules({ max_call_quota }) }),
];

/** What becomes of a call: the model, those that may take over, or the code of the refusal. */
async function reserving(setup: Parameters<typeof createReserving>[0], models: readonly string[], caller = {}) {
  const { context, held } = createReserving(setup);
  const [call, ...fallbacks] = models.map((model) => callOf(model, {}, caller));
  if (!call) throw new Error("there is no call");
  const outcome = await reserveAffordable(
    context,
    call,
    fallbacks.map((fallback) => priced(context, fallback)),
  ).then(
    ({ call: { summary }, reserved }) => {
      const others = reserved.fallbacks.map((fallback) => fallback.call.summary.model);
      const payer = reserved.included ?? reserved.plan ?? "user";
      return `${[summary.model, ...others].join(", then ")} by ${payer}`;
    },
    (error: GatewayError) => error.code,
  );
  return { outcome, held };
}

describe("of models that may take over", () => {
  test.each<[string, number, readonly string[], string, readonly string[]]>([
    ["all are covered", 2000, ["mid", "cheap", "dear"], "mid, then cheap, then dear by user", ["2000 of user"]],
    ["the call's own is", 200, ["mid", "dear"], "mid by user", ["2000 of user", "200 of user"]],
    ["none costs more", 200, ["mid", "cheap"], "mid, then cheap by user", ["200 of user"]],
    ["a cheaper one is", 199, ["mid", "cheap"], "cheap by user", ["200 of user", "20 of user"]],
    [
      "one is not tried that costs as much as a refused one",
      199,
      ["mid", "other", "cheap"],
      "cheap by user",
      ["200 of user", "20 of user"],
    ],
    [
      "one is not tried that costs as much as a refused cheaper one",
      199,
      ["dear", "mid", "other", "cheap"],
      "cheap by user",
      ["2000 of user", "200 of user", "20 of user"],
    ],
    [
      "those after it follow the one that is covered",
      200,
      ["dear", "mid", "other", "cheap"],
      "mid, then other, then cheap by user",
      ["2000 of user", "200 of user"],
    ],
    ["none is", 19, ["mid", "cheap"], "insufficient_user_quota", ["200 of user", "20 of user"]],
    ["there are none", 19, ["mid"], "insufficient_user_quota", ["200 of user"]],
  ])("%s", async (_, user, models, outcome, held) => {
    expect(await reserving({ left: { user } }, models)).toEqual({ outcome, held: [...held] });
  });

  test.each<[string, number, readonly string[], string, readonly string[]]>([
    ["the first that it allows serves", 199, ["mid", "cheap"], "cheap by user", ["20 of user"]],
    ["those that it does not allow are left out", 200, ["mid", "dear"], "mid by user", ["200 of user"]],
    ["none serves", 19, ["mid", "cheap"], "policy_price_exceeded", []],
  ])("under a policy's price limit %s", async (_, limit, models, outcome, held) => {
    expect(await reserving({}, models, { policies: policyOf(limit) })).toEqual({ outcome, held: [...held] });
  });

  test.each([
    ["at once", "200 of user", ["200 of user"]],
    ["when the cheaper one is tried", "20 of user", ["200 of user", "20 of user"]],
  ])("none is tried any more where the ledger fails %s", async (_, fault, held) => {
    expect(await reserving({ left: { user: 199 }, fault }, ["mid", "cheap", "cheap"])).toEqual({
      outcome: "ledger_unavailable",
      held: [...held],
    });
    expect(await reserving({ fault: "2000 of user" }, ["mid", "dear"])).toEqual({
      outcome: "ledger_unavailable",
      held: ["2000 of user"],
    });
  });

  test.each([
    [1, 10, 200],
    [3, 10, 400],
    [3, null, 100 + 3 * 5000],
  ])("%d choices of at most %p tokens are held for: %d units", async (choices, maxOutputTokens, units) => {
    const { context } = createReserving();
    const call = callOf("mid", { summary: { model: "mid", maxOutputTokens, choices } as Call["summary"] });
    expect(upperCost(context, call, priceCall(context.prices, call))).toBe(units);
  });

  test.each([
    ["a free model", "free", "default", {}, 0],
    ["a free model with a search, whose price is not known before", "free", "default", { web_search_options: {} }, 1],
    ["a search in a group that pays nothing", "free", "staff", { web_search_options: {} }, 0],
    ["a model in a group that pays nothing", "mid", "staff", {}, 0],
  ])("%s costs at most %d", async (_, model, group, json, units) => {
    const { context } = createReserving();
    const call = callOf(model, { body: { text: "{}", size: 2, json } }, { group });
    expect(upperCost(context, call, priceCall(context.prices, call))).toBe(units);
  });

  test("a search that one of a call's prices charges for needs a balance", () => {
    const { context } = createReserving();
    const [priced, free] = ["default", "staff"].map(
      (group) => priceCall(context.prices, callOf("free", {}, { group })).price,
    );
    if (!priced || !free) throw new Error("there are no prices");
    const prices = {
      price: free,
      byName: new Map([
        ["a", free],
        ["b", priced],
      ]),
      byChannel: null,
    };
    const call = callOf("free", { body: { text: "{}", size: 2, json: { web_search_options: {} } } });
    expect(upperCost(context, call, prices)).toBe(1);
  });

  test.each([
    ["refuse", "service_tier_not_priced", []],
    ["multiply", null, ["400 of user"]],
  ])(
    "a tier that the model has no price for is held for unless the site refuses it: %s",
    async (option, code, expected) => {
      const { context, held } = createReserving({ options: { UnpricedServiceTier: option } });
      const call = callOf("mid", { body: { text: "{}", size: 2, json: { service_tier: "turbo" } } });
      const refused = await reserve(context, call, priceCall(context.prices, call)).then(
        () => null,
        (error: GatewayError) => error.code,
      );
      expect([refused, held]).toEqual([code, [...expected]]);
    },
  );
});

describe("with plans", () => {
  const NOW = 1_800_000_000;
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
  afterEach(() => void jest.useRealTimers());

  const included = (more: Partial<PlanTerms> = {}) => terms({ callsBudgetId: CALLS, ...more });
  const paying = (more: Partial<PlanTerms> = {}) => terms({ budgetId: BUDGET, ...more });

  test.each<[string, readonly PlanTerms[], string, readonly string[]]>([
    ["included calls", [included()], `1 of ${CALLS}`, [`1 of ${CALLS}`]],
    ["the plan's budget", [paying()], `200 of ${BUDGET}`, [`200 of ${BUDGET}`]],
    ["the balance behind them", [paying()], "200 of user", [`200 of ${BUDGET}`, "200 of user"]],
  ])("a ledger that fails for %s is no reason to charge something else", async (_, plans, fault, held) => {
    const { outcome, held: tried } = await reserving({ plans, fault, left: { [BUDGET]: held.length > 1 ? 0 : 1e9 } }, [
      "mid",
    ]);
    expect([outcome, tried]).toEqual(["ledger_unavailable", [...held]]);
  });

  test.each<[string, Partial<Caller>, string]>([
    ["that a plan covers may take over its included call", {}, `mid, then cheap, then dear by ${CALLS}`],
    ["that a policy's price limit allows may", { policies: policyOf(200) }, `mid, then cheap by ${CALLS}`],
  ])("models %s", async (_, caller, outcome) => {
    const plans = [included({ models: ["mid", "cheap", "dear"] })];
    expect((await reserving({ plans }, ["mid", "cheap", "dear", "other"], caller)).outcome).toBe(outcome);
  });

  /** The refusal of a call whose plans' own budgets are `spent`; `own`: budgets that the call counts in without a plan. */
  async function refusalOf(plans: readonly PlanTerms[], spent: Left, own: readonly Partial<BudgetEntry>[] = []) {
    const { context } = createReserving({ plans, left: spent });
    const budgets = own.map(
      (fields) => ({ scope: "plan", isHard: true, renewsAt: 0, name: "", ...fields }) as BudgetEntry,
    );
    const call = callOf("mid", {}, { budgets });
    return reserve(context, call, priceCall(context.prices, call)).then(
      () => null,
      ({ code, status, message, retryAfterSeconds: wait }: GatewayError) => ({ code, status, message, wait }),
    );
  }
  const spent = { [CALLS]: 0, [BUDGET]: 0 };
  /** Budgets that refuse what no plan pays, as those of plans without overage do. */
  const closed = [{ id: BUDGET }];

  test.each([
    [NOW + 90, 90, "2027-01-15 08:01", "2 min"],
    [NOW + 3660, 3660, "2027-01-15 09:01", "61 min"],
    [NOW + 1, 1, "2027-01-15 08:00", "1 min"],
    [NOW, 1, "2027-01-15 08:00", "1 min"],
    [NOW - 60, 1, "2027-01-15 08:00", "1 min"],
  ])("whose included calls are used up until %d a call waits %d s", async (windowEnd, wait, at, minutes) => {
    const refusal = await refusalOf([included({ windowEnd })], { ...spent, user: 0 });
    expect(refusal).toMatchObject({ code: "plan_calls_exceeded", status: 429, wait });
    for (const part of ["Pro", "5", `${at} UTC, in ${minutes}`]) expect(refusal?.message).toContain(part);
  });

  test.each<[string, readonly PlanTerms[], Left, readonly Partial<BudgetEntry>[], object]>([
    [
      "the balance where it is too small, and no plan would refill it",
      [paying({ allowsOverage: false })],
      { ...spent, user: 0 },
      [],
      { code: "insufficient_user_quota", wait: undefined },
    ],
    [
      "the calls that are used up, also where a plan's budget is",
      [included({ windowEnd: NOW + 3600 }), paying({ allowsOverage: false })],
      spent,
      closed,
      { code: "plan_calls_exceeded", wait: 3600 },
    ],
    [
      "the plan's budget until the first window of a plan without overage ends",
      [
        paying({ windowEnd: NOW + 10, allowsOverage: true }),
        paying({ windowEnd: NOW + 300, allowsOverage: false }),
        paying({ windowEnd: NOW + 60, allowsOverage: false }),
      ],
      spent,
      closed,
      { code: "plan_quota_exceeded", wait: 60 },
    ],
    [
      "a window that is just over for a second",
      [paying({ windowEnd: NOW, allowsOverage: false })],
      spent,
      closed,
      { code: "plan_quota_exceeded", wait: 1 },
    ],
    [
      "no time where all plans allow overage",
      [paying()],
      spent,
      closed,
      { code: "plan_quota_exceeded", wait: undefined },
    ],
    [
      "the time that the budget names itself",
      [terms({ allowsOverage: false, windowEnd: NOW + 300 })],
      { 40: 0 },
      [{ id: 40, renewsAt: NOW + 20 }],
      { code: "plan_quota_exceeded", wait: 20 },
    ],
    [
      "the window's end where the budget's own time is over",
      [terms({ allowsOverage: false, windowEnd: NOW + 300 })],
      { 40: 0 },
      [{ id: 40, renewsAt: NOW - 20 }],
      { code: "plan_quota_exceeded", wait: 300 },
    ],
    [
      "the plan that does not include the model",
      [terms({ planName: "Basic", allowsOverage: false, models: ["cheap"] })],
      { 40: 0 },
      [{ id: 40 }],
      { code: "plan_model_not_included", status: 403, wait: undefined },
    ],
    [
      "the quota, not the plan, where the plan that lacks the model allows overage",
      [terms({ models: ["cheap"] }), terms({ id: 2, allowsOverage: false, windowEnd: NOW + 30 })],
      { 40: 0 },
      [{ id: 40 }],
      { code: "plan_quota_exceeded", wait: 30 },
    ],
    [
      "the plan that covers the model, not another that does not",
      [
        paying({ windowEnd: NOW + 300, allowsOverage: false }),
        terms({ id: 2, windowEnd: NOW + 60, allowsOverage: false, models: ["cheap"] }),
      ],
      spent,
      closed,
      { code: "plan_quota_exceeded", wait: 300 },
    ],
    [
      "a budget of the organization, also where a plan's calls are used up",
      [included()],
      { ...spent, 41: 0 },
      [{ id: 41, scope: "organization" }],
      { code: "budget_exceeded", wait: undefined },
    ],
    [
      "a budget of the organization as it is",
      [paying({ allowsOverage: false })],
      { ...spent, 41: 0 },
      [{ id: 41, scope: "organization" }],
      { code: "budget_exceeded", wait: undefined },
    ],
  ])("a refusal names %s", async (_, plans, left, own, expected) => {
    expect(await refusalOf(plans, left, own)).toMatchObject(expected);
  });

  test("a refusal that waits for a window says until when instead of that only credit helps", async () => {
    const refusal = await refusalOf([paying({ windowEnd: NOW + 3600, allowsOverage: false })], spent, closed);
    expect(refusal?.message).toEndWith("The quota will reset at 2027-01-15 09:00 UTC.");
    expect(refusal?.message).not.toContain("only when");
    expect(refusal?.message).toStartWith("Quota of the plan exceeded");
  });

  test("calls are counted in the limits of the plans that cover their model", async () => {
    const plans = [paying({ requestsPerMinute: 1, models: ["mid"] })];
    const { context, held } = createReserving({ plans });
    const ask = (model: string) =>
      reserve(context, callOf(model), priceCall(context.prices, callOf(model))).then(
        () => "held",
        ({ limit }: GatewayError) => limit,
      );
    const outcomes = [];
    for (const model of ["mid", "cheap", "mid", "cheap"]) outcomes.push(await ask(model));
    expect(outcomes).toEqual(["held", "held", "plan_requests_per_minute", "held"]);
    expect(held).toHaveLength(3);
  });

  test.each([
    ["is over", [NOW + 60, NOW], [USER]],
    ["was over long ago", [NOW - 60], [USER]],
    ["goes on", [NOW + 1, NOW + 60], []],
  ])("a window that %s is filled before the call: %j", async (_, ends, expected) => {
    const before = ends.map((windowEnd, id) => paying({ id, windowEnd }));
    const { context, held } = createReserving({ plans: before, left: { [BUDGET]: 0 } });
    const advanced: number[] = [];
    const services = {
      ...context.services,
      planTerms: { byUser: { get: () => (advanced.length > 0 ? [included()] : before) }, all: () => before },
      advancePlans: async (userId: number) => void advanced.push(userId),
    };
    await reserve({ ...context, services }, callOf("mid"), priceCall(context.prices, callOf("mid")));
    expect(advanced).toEqual(expected);
    expect(held.at(-1)).toBe(expected.length > 0 ? `1 of ${CALLS}` : "200 of user");
  });
});
