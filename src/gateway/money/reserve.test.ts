/** What is held for a call, and of whom. */
import { afterEach, describe, expect, test } from "bun:test";
import { FakeBilling } from "../../../test/support/gateway/fake-billing.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { InsufficientQuota } from "../../billing/ledger/errors.ts";
import { createPolicyIndex } from "../../domain/accounts/organizations/policies/directory.ts";
import type { PlanTerms } from "../../domain/wallet/plans/limits/terms.ts";

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

describe("who pays for a call of an account with plans", () => {
  const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
  const USER = 1;
  const [CALLS, BUDGET] = [11, 12];
  const terms = (more: Partial<PlanTerms>): PlanTerms => ({
    ...{ id: 1, userId: USER, planName: "Pro", models: [], budgetId: null, callsBudgetId: null, windowCalls: 5 },
    ...{ allowsOverage: true, windowEnd: inAnHour(), rollingSeconds: 0, isWindowPending: false },
    ...{ requestsPerMinute: 0, tokensPerMinute: 0, ...more },
  });
  /** `left`: of the balance and of the budgets of plans. */
  type Left = Readonly<{ user?: number; calls?: number; budget?: number }>;

  async function ask(plans: readonly PlanTerms[], { user = 1e9, calls = 5, budget = 1e9 }: Left, maxCallQuota = 0) {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const fake = new FakeBilling();
    const paidBy: [payer: number | "user", amount: number][] = [];
    const policy = {
      ...{ id: 1, organizationId: USER, projectId: 0, name: "House rules" },
      rules: {
        ...{ models: [], channel_types: [], allow_ips: "", blocked_words: "", no_content_log: false, max_key_days: 0 },
        max_call_quota: maxCallQuota,
      },
    };
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }],
      user: { id: USER, kind: "organization" },
      tokens: { test: { id: 5, userId: USER } },
      policies: createPolicyIndex(maxCallQuota > 0 ? [policy] : []),
      planTerms: { of: () => plans },
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
