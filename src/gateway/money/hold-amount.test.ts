/** Whose money is held for a call, which budgets it counts in, and what a caller reads whose money does not do. */
import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { pino } from "pino";
import { tokenEntry, userEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { InsufficientQuota, LedgerUnavailable } from "../../billing/ledger/errors.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { PlanTerms } from "../../domain/wallet/plans/limits/terms.ts";
import type { Caller } from "../call/caller.ts";
import type { GatewayError } from "../call/errors.ts";
import type { Services } from "../call/services.ts";
import { reserveAmount } from "./reserve.ts";

/** 2027-01-15 08:00:00 UTC. */
const NOW = 1_800_000_000;
beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000 }));
afterEach(() => void jest.useRealTimers());

const budget = (id: number, fields: Partial<BudgetEntry> = {}): BudgetEntry => ({
  ...{ id, organizationId: 7, scope: "organization", scopeId: 0, name: "", period: "month", isHard: true, renewsAt: 0 },
  ...fields,
});
const PLAN = { id: 3, planName: "Pro", budgetId: 40 } as PlanTerms;
type Request = Parameters<Services["billing"]["reserve"]>[0];

/** `outcome`: what the ledger throws, if anything. */
function createServices(outcome: Error | null = null, options: Parameters<typeof fixedSettings>[0] = {}) {
  const events: unknown[] = [];
  const hold = { amount: 0 };
  const services = {
    settings: fixedSettings(options),
    log: pino({}, { write: (line: string) => void events.push(JSON.parse(line).msg) }),
    renewOrganizationBudgets: async (ids: readonly number[]) => void events.push(ids),
    billing: {
      async reserve(request: Request) {
        events.push(request);
        if (outcome) throw outcome;
        return hold;
      },
    } as unknown as Services["billing"],
  };
  return { services, events, hold };
}

const callerOf = (budgets?: readonly BudgetEntry[], token: Caller["token"] = tokenEntry({ id: 5 })): Caller => ({
  ...{ user: userEntry({ id: 7 }), token, tokenName: "key", group: "default", pinnedChannelId: null },
  ...(budgets && { budgets }),
});

describe("an amount is held", () => {
  const [key, soft, plan] = [
    budget(1, { scope: "key" }),
    budget(2, { scope: "member", isHard: false }),
    budget(40, { scope: "plan" }),
  ];
  const limited = tokenEntry({ id: 5, unlimitedQuota: false });
  const OWN = { userId: 7, token: { id: 5, limited: false }, amount: 9 };

  test.each<[string, Caller, PlanTerms | undefined, Request]>([
    ["of the balance", callerOf(), undefined, { ...OWN, budgets: [] }],
    ["of a limited key", callerOf([], limited), undefined, { ...OWN, token: { id: 5, limited: true }, budgets: [] }],
    ["in the playground", callerOf([], null), undefined, { ...OWN, token: null, budgets: [] }],
    ["of hard budgets", callerOf([key, soft, plan]), undefined, { ...OWN, budgets: [1, 40] }],
    ["of a plan, and not of other plans", callerOf([key, soft, plan]), PLAN, { ...OWN, plan: 40, budgets: [1] }],
  ])("%s", async (_, caller, terms, expected) => {
    const { services, events, hold } = createServices();
    expect(await reserveAmount(services, caller, 9, terms)).toBe(hold as never);
    expect(events).toEqual([expected]);
  });

  test.each([
    [0, false],
    [1, true],
    [NOW, true],
    [NOW + 1, false],
  ])("after a budget was renewed that is due at %d: %p", async (renewsAt, isDue) => {
    const { services, events } = createServices();
    await reserveAmount(services, callerOf([budget(1, { renewsAt }), budget(2, { isHard: false, renewsAt })]), 9);
    expect(events).toEqual([...(isDue ? [[1, 2]] : []), { ...OWN, budgets: [1] }]);
  });

  test("of nobody while budgets cannot be renewed; the log says so", async () => {
    const { services, events } = createServices();
    services.renewOrganizationBudgets = () => Promise.reject(new Error("no database"));
    const reserving = reserveAmount(services, callerOf([budget(1, { renewsAt: NOW })]), 9);
    await expect(reserving).rejects.toMatchObject({
      status: 503,
      message: "A budget of the organization cannot be reset right now. Try again shortly.",
    });
    expect(events).toEqual(["budgets of an organization could not be renewed"]);
  });
});

describe("a refusal says what is missing, and until when", () => {
  const refusalOf = async (
    error: Error,
    {
      budgets,
      token,
      plan,
      options,
    }: Readonly<{
      budgets?: readonly BudgetEntry[];
      token?: Caller["token"];
      plan?: PlanTerms;
      options?: Parameters<typeof fixedSettings>[0];
    }> = {},
  ) => {
    const { services } = createServices(error, options);
    return reserveAmount(services, callerOf(budgets, token), 500_000, plan).then(
      () => null,
      ({ status, code, message, limit, retryAfterSeconds: wait, isQuota }: GatewayError) => ({
        ...{ status, code, message, limit, isQuota, ...(wait !== undefined && { wait }) },
      }),
    );
  };
  const STAYS = "The quota will reset only when credit is added or the limit is raised.";
  const RENEWS = "The quota will reset at 2027-01-15 09:00 UTC.";
  const MONEY = "this request needs up to $1, $0.25 are";
  const refused = { status: 429, isQuota: true };
  const renewsAt = NOW + 3600;
  const named = [budget(1, { scope: "project", name: "Website", renewsAt }), budget(2, { scope: "plan", renewsAt })];

  test("of the balance", async () => {
    expect(await refusalOf(new InsufficientQuota("user", 125_000))).toEqual({
      ...{ ...refused, code: "insufficient_user_quota", limit: "user_quota" },
      message: `Quota exceeded: ${MONEY} available. ${STAYS}`,
    });
  });

  test.each([
    [-1, "true", "$1, $0 are"],
    [0, "true", "$1, $0 are"],
    [1, "true", "$1, $0.000002 are"],
    [-1, "false", "500000 quota units, 0 quota units are"],
    [1, "false", "500000 quota units, 1 quota units are"],
  ])("of the balance, of which %d units are left, in money: %s", async (left, isMoney, amounts) => {
    const refusal = await refusalOf(new InsufficientQuota("user", left), {
      options: { DisplayInCurrencyEnabled: isMoney },
    });
    expect(refusal?.message).toContain(`needs up to ${amounts} available`);
  });

  test("of the key", async () => {
    const key = { ...refused, code: "pre_consume_token_quota_failed", limit: "key_quota" } as const;
    const message = `API key quota exceeded: ${MONEY} available.`;
    const error = new InsufficientQuota("token", 125_000);
    expect(await refusalOf(error)).toEqual({ ...key, message: `${message} ${STAYS}` });
    expect(await refusalOf(error, { token: tokenEntry({ budgetRenewsAt: renewsAt }) })).toEqual({
      ...{ ...key, message: `${message} ${RENEWS}`, wait: 3600 },
    });
  });

  const left = `exceeded: ${MONEY} left in this period.`;
  const ofPlan =
    `Quota of the plan exceeded: ${MONEY} left until the plan is filled up again. ` +
    "The plan does not allow calls at the expense of the balance.";
  test.each<[string, number, PlanTerms | undefined, string, string]>([
    ["a key", 4, undefined, "budget_exceeded", `Budget of this API key ${left} ${STAYS}`],
    ["a member", 5, undefined, "budget_exceeded", `Your budget in the organization is ${left} ${STAYS}`],
    ["a project", 1, undefined, "budget_exceeded", `Budget of the project Website ${left} ${RENEWS}`],
    ["an organization", 6, undefined, "budget_exceeded", `Budget of the organization ${left} ${STAYS}`],
    ["a plan among others", 2, undefined, "plan_quota_exceeded", `${ofPlan} ${RENEWS}`],
    ["the plan that was to pay", 40, PLAN, "plan_quota_exceeded", `${ofPlan} ${STAYS}`],
    [
      "a project, where a plan was to pay",
      1,
      PLAN,
      "budget_exceeded",
      `Budget of the project Website ${left} ${RENEWS}`,
    ],
    ["a budget that is gone", 99, undefined, "budget_exceeded", `Budget of the organization ${left} ${STAYS}`],
  ])("of the budget of %s", async (_, id, plan, code, message) => {
    const budgets = [...named, budget(4, { scope: "key" }), budget(5, { scope: "member" }), budget(6)];
    const refusal = await refusalOf(new InsufficientQuota("budget", 125_000, id), { budgets, ...(plan && { plan }) });
    const wait = message.endsWith(RENEWS) ? { wait: 3600 } : {};
    expect(refusal).toEqual({ ...refused, code, message, limit: "budget", ...wait });
  });

  test.each([
    ["a silent database", new LedgerUnavailable("no database")],
    ["a fault", new Error("out of order")],
  ])("and blames nobody's quota for %s", async (_, error) => {
    expect(await refusalOf(error)).toEqual({
      ...{ status: 503, code: "ledger_unavailable", limit: undefined, isQuota: false, wait: 5 },
      message: "The balance cannot be checked right now. Try again shortly.",
    });
  });
});
