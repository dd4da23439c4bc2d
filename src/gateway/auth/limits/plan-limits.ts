import type { PlanTerms } from "../../../domain/wallet/plans/limits/terms.ts";
import type { SharedLimits } from "../../../lib/limits/shared-limits.ts";
import type { LimitKind } from "../../../lib/runtime/metrics/metrics.ts";
import { GatewayError } from "../../call/errors.ts";
import { minuteLimiters } from "./user-limits.ts";

/** Requests and tokens a minute that plans allow the calls of an account, with all of its keys. */
export type PlanLimits = {
  /** Counts an incoming call. Rejects GatewayError 429 with the time to wait. */
  admit(terms: readonly PlanTerms[]): Promise<void>;
  /** Counts the tokens of a finished call. */
  used(terms: readonly PlanTerms[], tokens: number): void;
};

/** The terms that count: with several plans the highest limit; plans without one say nothing. */
const highest = (terms: readonly PlanTerms[], of: (terms: PlanTerms) => number): PlanTerms | undefined =>
  terms.reduce<PlanTerms | undefined>((found, next) => (of(next) > (found ? of(found) : 0) ? next : found), undefined);
const requestsOf = ({ requestsPerMinute }: PlanTerms): number => requestsPerMinute;
const tokensOf = ({ tokensPerMinute }: PlanTerms): number => tokensPerMinute;

/** `shared`: counts across processes; null: this process counts alone. */
export function createPlanLimits(shared: SharedLimits | null): PlanLimits {
  const requests = minuteLimiters("plan-calls", shared);
  const tokens = minuteLimiters("plan-tokens", shared);
  return {
    async admit(terms) {
      const byTokens = highest(terms, tokensOf);
      if (byTokens) {
        const { userId, planName, tokensPerMinute: count } = byTokens;
        const seconds = await tokens(count).check(String(userId));
        if (seconds > 0) throw tooMany("plan_tokens_per_minute", "gateway_plan_tokens", { planName, count, seconds });
      }
      const byRequests = highest(terms, requestsOf);
      if (byRequests) {
        const { userId, planName, requestsPerMinute: count } = byRequests;
        const seconds = await requests(count).take(String(userId));
        if (seconds > 0)
          throw tooMany("plan_requests_per_minute", "gateway_plan_requests", { planName, count, seconds });
      }
    },
    used(terms, count) {
      const byTokens = count > 0 ? highest(terms, tokensOf) : undefined;
      if (byTokens) void tokens(byTokens.tokensPerMinute).add(String(byTokens.userId), count);
    },
  };
}

function tooMany(
  limit: LimitKind,
  code: "gateway_plan_requests" | "gateway_plan_tokens",
  { planName, count, seconds }: Readonly<{ planName: string; count: number; seconds: number }>,
): GatewayError {
  return new GatewayError(
    429,
    "rate_limit_exceeded",
    { code, params: { plan: planName, count, seconds } },
    { type: "rate_limit_error", retryAfterSeconds: seconds, limit },
  );
}
