import { invalidIpEntries } from "../../lib/security/ip-list.ts";

/** Limits of an API key: characters of its name, keys made at once, requests or tokens a minute. */
export const TOKEN_LIMITS = { name: 30, count: 100, rate: 2_000_000_000 } as const;

/** Characters of the random suffix that each further key of a batch gets after a hyphen. */
export const SUFFIX_LENGTH = 6;

/** Characters that a name may have when `count` keys are made with it. */
export const longestName = (count: number): number => TOKEN_LIMITS.name - (count > 1 ? SUFFIX_LENGTH + 1 : 0);

/** What is wrong with the name of `count` keys; undefined: nothing. */
export function tokenNameError(text: string, count = 1): "token_name_required" | "token_name_too_long" | undefined {
  const name = text.trim();
  if (name === "") return "token_name_required";
  return [...name].length > longestName(count) ? "token_name_too_long" : undefined;
}

/** What is wrong with the number of keys to make; undefined: nothing. */
export const tokenCountError = (count: number): "token_count_invalid" | undefined =>
  Number.isInteger(count) && count >= 1 && count <= TOKEN_LIMITS.count ? undefined : "token_count_invalid";

/** What is wrong with a quota in quota units; undefined: nothing. */
export const tokenQuotaError = (quota: number): "token_quota_invalid" | undefined =>
  Number.isSafeInteger(quota) && quota >= 0 ? undefined : "token_quota_invalid";

/** What is wrong with a budget in quota units; undefined: nothing. */
export const tokenBudgetError = (quota: number): "token_budget_invalid" | undefined =>
  Number.isSafeInteger(quota) && quota > 0 ? undefined : "token_budget_invalid";

/** What is wrong with a limit per minute (0: none); undefined: nothing. */
export const tokenRateError = (count: number): "token_rate_invalid" | undefined =>
  Number.isSafeInteger(count) && count >= 0 && count <= TOKEN_LIMITS.rate ? undefined : "token_rate_invalid";

/** What is wrong with a list of addresses and CIDR ranges; undefined: nothing. */
export const tokenIpError = (text: string): "token_ip_invalid" | undefined =>
  invalidIpEntries(text).length === 0 ? undefined : "token_ip_invalid";
