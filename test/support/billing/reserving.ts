import { InsufficientQuota } from "../../../src/billing/ledger/errors.ts";
import { createModelCatalog } from "../../../src/catalog/catalog.ts";
import type { PlanTerms } from "../../../src/domain/wallet/plans/limits/terms.ts";
import { createPlanLimits } from "../../../src/gateway/auth/limits/plan-limits.ts";
import type { Call } from "../../../src/gateway/call/call.ts";
import type { Caller } from "../../../src/gateway/call/caller.ts";
import type { Services } from "../../../src/gateway/call/services.ts";
import { createPrices } from "../../../src/gateway/money/price.ts";
import type { ReserveContext } from "../../../src/gateway/money/reserve.ts";
import { userEntry } from "../gateway/entries.ts";
import { fixedSettings } from "../lib/settings.ts";

const USER = 1;

/** What is left of the balance, and of budgets by their id. */
export type Left = Readonly<{ user?: number }> & Readonly<Record<number, number>>;

/** A call to a model costs at most 20 times its ratio. */
const RATIOS = { dear: 100, mid: 10, other: 10, cheap: 1, free: 0 };
/** What reserves calls with so much `left`; `fault`: the hold with which the ledger fails; `options`: of the site. `held`: what it was to hold. */
export function createReserving({
  left = {},
  plans,
  fault,
  options,
}: {
  left?: Left;
  plans?: readonly PlanTerms[];
  fault?: string;
  options?: Parameters<typeof fixedSettings>[0];
} = {}) {
  const held: string[] = [];
  const settings = fixedSettings({
    ModelRatio: JSON.stringify(RATIOS),
    GroupRatio: '{"default":1,"staff":0}',
    CompletionRatio: JSON.stringify(Object.fromEntries(Object.keys(RATIOS).map((model) => [model, 1]))),
    ...options,
  });
  const billing = {
    async reserve({ plan, budgets, amount }: Parameters<Services["billing"]["reserve"]>[0]) {
      held.push(`${amount} of ${plan ?? "user"}`);
      if (held.at(-1)?.endsWith(fault ?? "-")) throw new Error("no database");
      for (const id of [...budgets, ...(plan === undefined ? [] : [plan])]) {
        const rest = left[id] ?? 1e9;
        if (amount > rest) throw new InsufficientQuota("budget", rest, id);
      }
      if (plan === undefined && amount > (left.user ?? 1e9)) throw new InsufficientQuota("user", left.user ?? 0, USER);
      return { amount };
    },
  } as unknown as Services["billing"];
  const context = {
    services: { settings, billing, planTerms: plans && { byUser: { get: () => plans } } },
    ...{ catalog: createModelCatalog(settings), planLimits: createPlanLimits(null), prices: createPrices(settings) },
  } as unknown as ReserveContext;
  return { context, held };
}

/** A call to a model, of 10 tokens and as many of output. */
export const callOf = (model: string, more: Partial<Call> = {}, caller: Partial<Caller> = {}) =>
  ({
    ...{ endpoint: { capability: "chat" }, candidates: { model, tiers: [] }, route: null },
    caller: { user: userEntry({ id: USER }), token: null, group: "default", pinnedChannelId: null, ...caller },
    ...{ summary: { model, maxOutputTokens: 10, choices: 1 }, promptBound: 10, promptAudioTokens: 0 },
    body: { text: "{}", size: 2, json: {} },
    ...more,
  }) as unknown as Call;
