import { type PricedModel, tokenPrice, unitPrice } from "../../../api/models/pricing.ts";

/** The address of a model's page; names may contain slashes. */
export const modelPath = (model: string): string => `/model/${model.split("/").map(encodeURIComponent).join("/")}`;

/** What a program asks of a model in a month. */
export type Workload = Readonly<{
  requests: number;
  /** Of each request. */
  inputTokens: number;
  outputTokens: number;
  /** Percent of the input that the provider has cached. */
  cachedPercent: number;
}>;

/** An agent's or chat's month: enough for models to differ, small enough to recognize. */
export const TYPICAL_WORKLOAD: Workload = { requests: 10_000, inputTokens: 2000, outputTokens: 500, cachedPercent: 30 };

const TOKENS_PER_PRICE = 1_000_000;
const ALL = 100;

/** USD that a workload costs in a month; for models without a price by tokens, one unit (a call, an image) each request. */
export function workloadCost(model: PricedModel, work: Workload, groupRatio: number, quotaPerUnit: number): number {
  if (model.unit !== "token") return work.requests * unitPrice(model, groupRatio, quotaPerUnit);
  const price = tokenPrice(model, groupRatio, quotaPerUnit);
  // Long prompts have a price of their own at some providers.
  const tier = model.context_tiers.findLast(({ over }) => work.inputTokens > over);
  const cached = (work.inputTokens * work.cachedPercent) / ALL;
  const input = ((work.inputTokens - cached) * price.input + cached * price.cached) * (tier?.input ?? 1);
  const output = work.outputTokens * price.output * (tier?.output ?? 1);
  return (work.requests * (input + output)) / TOKENS_PER_PRICE;
}
