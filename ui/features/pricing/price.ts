import type { PricedModel } from "./pricing-query.ts";

/** A ratio of 1 is $2 per million tokens (specification 3, section 9). */
const USD_PER_RATIO = 2;

/** USD for a million tokens read, written, or read from the cache, under a group's ratio. */
export function perMillion(model: PricedModel, groupRatio: number): { input: number; output: number; cached: number } {
  const input = model.model_ratio * USD_PER_RATIO * groupRatio;
  return { input, output: input * model.completion_ratio, cached: input * model.cache_ratio };
}

/** USD for one call under a group's ratio. */
export const perCall = (model: PricedModel, groupRatio: number): number => model.model_price * groupRatio;

/** "$1.25", "$0.0375", "$12": as many decimals as it takes, six at most. */
export const usd = (amount: number): string =>
  `$${amount.toLocaleString("en", { minimumFractionDigits: amount < 10 ? 2 : 0, maximumFractionDigits: 6 })}`;

/** Whether every word of the search is in the name or its maker, letters in their order ("gpt4" finds "gpt-4o"). */
export function matches(model: PricedModel, search: string): boolean {
  const text = `${model.model_name} ${model.owner_by}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => word === "" || text.includes(word) || isSpread(text, word));
}

function isSpread(text: string, word: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
