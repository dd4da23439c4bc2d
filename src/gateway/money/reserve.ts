import { InsufficientQuota } from "../../billing/ledger/errors.ts";
import type { estimate } from "../../billing/pricing/charge.ts";
import { searchesEachAnswer } from "../../catalog/catalog.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import { amountText } from "../../domain/wallet/amount-text.ts";
import { coversModel, type PlanTerms, renewsAt } from "../../domain/wallet/plans/limits/terms.ts";
import { requestsProviderTools } from "../../formats/tools/provider-tools.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Sentence } from "../../lib/messages.ts";
import { isZero } from "../../lib/values/decimal.ts";
import type { Limits } from "../auth/limits/limits.ts";
import { allowsPrice, refusePrice } from "../auth/policies.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError, ledgerUnavailable, usedUp } from "../call/errors.ts";
import type { CallTools, Hold, Services, Uses } from "../call/services.ts";
import type { Pricing } from "./price.ts";
import {
  type CallPrices,
  estimateInTiers,
  type PricedCall,
  possiblePrices,
  priceCall,
  refuseUnpricedTier,
} from "./price.ts";

/** What these functions work with. */
export type ReserveContext = Uses<
  "advancePlans" | "billing" | "log" | "planTerms" | "renewOrganizationBudgets" | "settings"
> &
  Pick<CallTools, "catalog"> &
  Pick<Limits, "planLimits"> &
  Pricing;

/** The quota held for a call, and the prices by which it is charged. */
export type Reservation = Readonly<{
  prices: CallPrices;
  /** The call for each model that may take over; the hold covers them too. */
  fallbacks: readonly PricedCall[];
  /** Null: nothing is held, but the call is still charged. */
  hold: Hold | null;
  /** The budget of the plan that pays; absent: the balance does. */
  plan?: number;
  /** The budget of the window that includes the call; it costs nothing then. */
  included?: number;
}>;

const NO_FALLBACKS: readonly PricedCall[] = [];

/**
 * Reserves a call; where the money does not cover its model, for the first cheaper one that may take over and is covered. Rejects
 * GatewayError: the refusal of the call's own model.
 */
export async function reserveAffordable(
  context: ReserveContext,
  call: Call,
  fallbacks: readonly PricedCall[],
): Promise<Readonly<{ call: Call; reserved: Reservation }>> {
  const prices = priceCall(context.prices, call);
  try {
    return { call, reserved: await reserve(context, call, prices, fallbacks) };
  } catch (error) {
    if (fallbacks.length === 0 || !isTooExpensive(error)) throw error;
    return (await reserveCheaper(context, { call, prices }, fallbacks)) ?? Promise.reject(error);
  }
}

/** Null: none of the fallbacks is covered. */
async function reserveCheaper(context: ReserveContext, refused: PricedCall, fallbacks: readonly PricedCall[]) {
  let highest = upperCost(context, refused.call, refused.prices);
  for (const [at, { call, prices }] of fallbacks.entries()) {
    const upper = upperCost(context, call, prices);
    // The balance does not cover a model that costs as much as one that it did not cover.
    if (upper >= highest) continue;
    highest = upper;
    const calls = fallbacks.slice(at + 1);
    try {
      return { call: withoutExperiment(call), reserved: await reserve(context, call, prices, calls) };
    } catch (error) {
      if (!isTooExpensive(error)) throw error;
    }
  }
  return null;
}

/** The money of a caller decided, so the call says nothing about the sides of an experiment. */
const withoutExperiment = (call: Call): Call =>
  call.route?.experiment ? { ...call, route: { ...call.route, experiment: null } } : call;

const LIMITS: ReadonlySet<unknown> = new Set(["user_quota", "key_quota", "budget"]);

/** Whether the balance, the key, a budget, a plan or a policy's price limit refused the call. */
const isTooExpensive = (error: unknown): boolean =>
  error instanceof GatewayError && (LIMITS.has(error.limit) || error.code === "policy_price_exceeded");

/**
 * Holds the most that the call can cost, on any channel and with any fallback model, for the user and for a limited key. Where
 * the balance is too small for a more expensive fallback, holds the cost of the requested model and drops the fallbacks.
 * Rejects GatewayError: the model has no price for the service tier, the limits of the account's plans are reached, not enough quota, or the balance cannot be determined.
 */
export async function reserve(
  context: ReserveContext,
  call: Call,
  prices: CallPrices,
  fallbacks: readonly PricedCall[] = NO_FALLBACKS,
): Promise<Reservation> {
  const { settings, planTerms: terms } = context.services;
  if (settings.values.UnpricedServiceTier === "refuse") refuseUnpricedTier(call, prices);
  const known = terms?.byUser.get(call.caller.user.id);
  const planTerms = known && (await fillWindows(context.services, call.caller.user.id, known));
  if (planTerms) {
    const covering = planTerms.filter((terms) => coversModel(terms, call.summary.model));
    await context.planLimits.admit(covering);
    return await reserveByPlan(context, planTerms, covering, call, prices, fallbacks);
  }
  return await holdUpperCost(context, call, prices, fallbacks);
}

/** The terms of an account's plans, after windows that are over were filled: the job that does it comes every 30 s. */
async function fillWindows(
  { planTerms, advancePlans }: Pick<Services, "advancePlans" | "planTerms">,
  userId: number,
  known: readonly PlanTerms[],
): Promise<readonly PlanTerms[] | undefined> {
  if (!advancePlans || known.every(({ windowEnd }) => windowEnd > nowSeconds())) return known;
  await advancePlans(userId);
  return planTerms?.byUser.get(userId);
}

/**
 * Lets the first plan pay that includes a call to the model, or has enough quota for it left in its window, else the balance, unless
 * a plan of the account allows no overage.
 */
async function reserveByPlan(
  context: ReserveContext,
  all: readonly PlanTerms[],
  covering: readonly PlanTerms[],
  call: Call,
  prices: CallPrices,
  fallbacks: readonly PricedCall[],
): Promise<Reservation> {
  const { model } = call.summary;
  let refusal: GatewayError | null = null;
  for (const terms of covering) {
    const covered = fallbacks.filter((fallback) => coversModel(terms, fallback.call.summary.model));
    try {
      if (includesCalls(terms)) return await holdCall(context, call, prices, covered, terms);
    } catch (error) {
      if (!isUsedUp(error)) throw error;
      refusal = error;
    }
    if (terms.budgetId === null) continue;
    try {
      return await holdUpperCost(context, call, prices, covered, terms);
    } catch (error) {
      if (!isUsedUp(error)) throw error;
      refusal ??= error;
    }
  }
  try {
    return await holdUpperCost(context, call, prices, fallbacks);
  } catch (error) {
    // Who has used up the calls of a plan, and has nothing else, waits for the plan.
    const hasNone = error instanceof GatewayError && error.limit === "user_quota";
    if (refusal?.code === "plan_calls_exceeded" && (hasNone || isUsedUp(error))) throw refusal;
    if (refusal && isUsedUp(error)) throw renewing(refusal, covering);
    if (!isUsedUp(error)) throw error;
    const excluding = all.find((terms) => !terms.allowsOverage && !coversModel(terms, model));
    if (!excluding) throw renewing(error, all);
    const params = { plan: excluding.planName, model };
    throw new GatewayError(403, "plan_model_not_included", { code: "gateway_plan_model", params }, { limit: "budget" });
  }
}

const USED_UP: ReadonlySet<unknown> = new Set(["plan_quota_exceeded", "plan_calls_exceeded"]);

/** Nothing is left of a plan for the call. */
const isUsedUp = (error: unknown): error is GatewayError => error instanceof GatewayError && USED_UP.has(error.code);

/** The refusal with the time until the first window of these plans is filled again. */
function renewing(refusal: GatewayError, plans: readonly PlanTerms[]): GatewayError {
  const now = nowSeconds();
  const ends = plans.filter(({ allowsOverage }) => !allowsOverage).map((terms) => renewsAt(terms, now));
  const first = Math.min(...ends);
  const { reason } = refusal;
  if (typeof reason === "string" || !Number.isFinite(first) || refusal.retryAfterSeconds !== undefined) return refusal;
  // No time was known so far.
  const bare = reason.code === "gateway_quota_stays" ? reason.params?.reason : reason;
  if (typeof bare !== "object") return refusal;
  return usedUp(String(refusal.code), bare, "budget", Math.max(first, now + 1));
}

type IncludingPlan = PlanTerms & Readonly<{ callsBudgetId: number }>;

const includesCalls = (terms: PlanTerms): terms is IncludingPlan => terms.callsBudgetId !== null;

/** Holds one of the calls that the window of a plan includes. Rejects GatewayError: none is left. */
async function holdCall(
  context: ReserveContext,
  call: Call,
  prices: CallPrices,
  covered: readonly PricedCall[],
  terms: IncludingPlan,
): Promise<Reservation> {
  const { callsBudgetId: included, planName, windowCalls } = terms;
  const { policies, user } = call.caller;
  const allowed = policies
    ? covered.filter((other) => allowsPrice(policies, upperCost(context, other.call, other.prices)))
    : covered;
  if (policies) refusePrice(policies, upperCost(context, call, prices));
  try {
    const request = { userId: user.id, token: null, budgets: [], plan: included, amount: 1 };
    return { prices, fallbacks: allowed, included, hold: await context.services.billing.reserve(request) };
  } catch (error) {
    if (!(error instanceof InsufficientQuota)) throw ledgerUnavailable({ code: "gateway_no_ledger" });
    const now = nowSeconds();
    const seconds = Math.max(1, renewsAt(terms, now) - now);
    const renews = new Date((now + seconds) * 1000).toISOString().slice(0, 16).replace("T", " ");
    const params = { plan: planName, calls: windowCalls, renews, minutes: Math.ceil(seconds / 60) };
    const details = { limit: "budget", isQuota: true, retryAfterSeconds: seconds } as const;
    throw new GatewayError(429, "plan_calls_exceeded", { code: "gateway_plan_calls", params }, details);
  }
}

async function holdUpperCost(
  context: ReserveContext,
  call: Call,
  prices: CallPrices,
  fallbacks: readonly PricedCall[],
  plan?: PlanTerms,
): Promise<Reservation> {
  const { services } = context;
  const upper = upperCost(context, call, prices);
  let upperOfAll = upper;
  for (const fallback of fallbacks)
    upperOfAll = Math.max(upperOfAll, upperCost(context, fallback.call, fallback.prices));
  const { policies } = call.caller;
  if (policies) {
    refusePrice(policies, upper);
    if (!allowsPrice(policies, upperOfAll)) return await holdUpperCost(context, call, prices, NO_FALLBACKS, plan);
  }
  const paidBy = plan?.budgetId ?? null;
  const made = { prices, ...(paidBy !== null && { plan: paidBy }) };
  try {
    return { ...made, fallbacks, hold: await reserveAmount(services, call.caller, upperOfAll, plan) };
  } catch (error) {
    const isTooLittle = error instanceof GatewayError && error.limit !== undefined;
    if (!isTooLittle || upperOfAll === upper) throw error;
    return { ...made, fallbacks: NO_FALLBACKS, hold: await reserveAmount(services, call.caller, upper, plan) };
  }
}

/** The most that the call can cost with one model, in quota units; 0: it costs nothing, so nobody needs a balance for it. */
export function upperCost(
  context: Uses<"settings"> & Pick<CallTools, "catalog"> & Pricing,
  call: Call,
  prices: CallPrices,
): number {
  const { services, prices: table } = context;
  const { summary, promptBound, promptAudioTokens, body } = call;
  const { maxOutputTokens, choices } = summary;
  // Anthropic's cache writes cost more than its cache reads.
  const writesCache = body.text.includes('"cache_control"');
  const expected: Parameters<typeof estimate>[1] = {
    promptTokens: promptBound,
    maxOutputTokens: maxOutputTokens === null ? null : maxOutputTokens * choices,
    defaultOutputTokens: services.settings.values.PreConsumedQuota * choices,
    audioInputTokens: promptAudioTokens,
    writesCache: writesCache ? (LONG_CACHE.test(body.text) ? "long" : "short") : "none",
  };
  const unit = table.quotaPerUnit();
  let upper = 0;
  for (const price of possiblePrices(prices)) upper = Math.max(upper, estimateInTiers(call, price, expected, unit));
  if (upper > 0) return upper;
  const mayRunTools =
    requestsProviderTools(call.body.json) || searchesEachAnswer(context.catalog().find(call.summary.model));
  if (!mayRunTools) return 0;
  // What the provider's tools will cost is not known before.
  return [...possiblePrices(prices)].every(({ groupRatio }) => isZero(groupRatio)) ? 0 : 1;
}

const LONG_CACHE = /"ttl"\s*:\s*"1h"/;

/**
 * Holds an amount of quota units; 0 for what costs nothing, which needs no balance. `plan` pays instead of the balance. Rejects
 * GatewayError.
 */
export async function reserveAmount(
  services: Pick<Services, "billing" | "log" | "renewOrganizationBudgets" | "settings">,
  caller: Caller,
  units: number,
  plan?: PlanTerms,
): Promise<Hold> {
  const paidBy = plan?.budgetId ?? null;
  const budgets = caller.budgets?.length ? await renewedBudgets(services, caller.budgets, paidBy !== null) : NO_BUDGETS;
  const token = caller.token && { id: caller.token.id, limited: !caller.token.unlimitedQuota };
  const hard = budgets.filter(({ isHard }) => isHard).map(({ id }) => id);
  try {
    const payer = { userId: caller.user.id, ...(paidBy !== null && { plan: paidBy }) };
    return await services.billing.reserve({ ...payer, token, budgets: hard, amount: units });
  } catch (error) {
    throw refusal(services, error, units, caller, plan);
  }
}

const NO_BUDGETS: readonly BudgetEntry[] = [];

/** The budgets of a caller that a call counts in: one that a plan pays does not count in what its other plans have left. */
export const budgetsOf = (budgets: readonly BudgetEntry[], isPaidByPlan: boolean): readonly BudgetEntry[] =>
  isPaidByPlan ? budgets.filter(({ scope }) => scope !== "plan") : budgets;

/** The same after those that are due were renewed. Rejects GatewayError where that fails. */
async function renewedBudgets(
  services: Pick<Services, "log" | "renewOrganizationBudgets">,
  all: readonly BudgetEntry[],
  isPaidByPlan: boolean,
): Promise<readonly BudgetEntry[]> {
  const budgets = budgetsOf(all, isPaidByPlan);
  const now = nowSeconds();
  const ids = budgets.filter(({ renewsAt }) => renewsAt !== 0 && renewsAt <= now).map(({ id }) => id);
  if (ids.length === 0) return budgets;
  try {
    await services.renewOrganizationBudgets?.(ids);
    return budgets;
  } catch (error) {
    services.log.warn({ error, ids }, "budgets of an organization could not be renewed");
    throw ledgerUnavailable({ code: "gateway_no_organization_budget" });
  }
}

function refusal(
  { settings }: Pick<Services, "settings">,
  error: unknown,
  units: number,
  { budgets, token }: Caller,
  plan: PlanTerms | undefined,
): GatewayError {
  if (!(error instanceof InsufficientQuota)) return ledgerUnavailable({ code: "gateway_no_ledger" });
  const needed = amountOf(settings, units);
  const available = amountOf(settings, Math.max(0, error.availableUnits));
  switch (error.who) {
    case "user":
      return usedUp(
        "insufficient_user_quota",
        { code: "gateway_user_quota", params: { needed, available } },
        "user_quota",
      );
    case "token":
      return usedUp(
        "pre_consume_token_quota_failed",
        { code: "gateway_key_quota", params: { needed, available } },
        "key_quota",
        token?.budgetRenewsAt,
      );
    case "budget": {
      const budget = budgets?.find(({ id }) => id === error.id);
      const scope = plan && error.id === plan.budgetId ? "plan" : budget?.scope;
      const code = scope === "plan" ? "plan_quota_exceeded" : "budget_exceeded";
      const reason = budgetReason(scope, budget?.name ?? "", { needed, available });
      return usedUp(code, reason, "budget", budget?.renewsAt);
    }
  }
}

/** Money in messages, or quota units where the site shows those. */
const amountOf = (settings: Services["settings"], units: number): string | Sentence =>
  settings.values.DisplayInCurrencyEnabled
    ? amountText(settings, units)
    : { code: "gateway_quota_units", params: { count: units } };

/** Names the budget that refuses a call. */
function budgetReason(
  scope: BudgetEntry["scope"] | undefined,
  project: string,
  params: Readonly<{ needed: string | Sentence; available: string | Sentence }>,
): Sentence {
  switch (scope) {
    case "key":
      return { code: "gateway_budget_key", params };
    case "member":
      return { code: "gateway_budget_member", params };
    case "project":
      return { code: "gateway_budget_project", params: { ...params, project } };
    case "plan":
      return { code: "gateway_budget_plan", params };
    default:
      return { code: "gateway_budget_organization", params };
  }
}
