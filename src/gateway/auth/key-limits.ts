import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { Sentence } from "../../lib/messages.ts";
import type { LimitKind } from "../../lib/runtime/metrics.ts";
import { GatewayError, ledgerUnavailable } from "../call/errors.ts";
import type { GatewayServices } from "../call/services.ts";
import { minuteLimiters } from "./limiters.ts";

/** Limits that owners set for single keys: calls and tokens per minute, and renewing budgets. */
export type ApiKeyLimits = {
  /**
   * Counts an incoming call, and renews a budget whose period has ended. Rejects GatewayError: 429 with the time to
   * wait, 503 if the budget cannot be renewed.
   */
  admit(token: ApiKeyEntry, nowSeconds: number): Promise<void>;
  /** Counts the tokens of a finished call. */
  used(token: ApiKeyEntry, tokens: number): void;
};

/** Whether a key has any such limit; most have none. */
export const hasLimits = ({ requestsPerMinute, tokensPerMinute, budgetRenewsAt }: ApiKeyEntry): boolean =>
  requestsPerMinute > 0 || tokensPerMinute > 0 || budgetRenewsAt !== 0;

/** Creates the limits of this process's keys; replicas share the counts if `shared` provides a place for them. */
export function createApiKeyLimits({
  sharedLimits,
  renewBudget,
  log,
}: Pick<GatewayServices, "sharedLimits" | "renewBudget" | "log">): ApiKeyLimits {
  const callLimiter = minuteLimiters("key-calls", sharedLimits);
  const tokenLimiter = minuteLimiters("key-tokens", sharedLimits);
  /** Concurrent calls of a key whose period has ended share one renewal. */
  const renewals = new Map<number, Promise<void>>();

  const renew = (id: number): Promise<void> => {
    const running = renewals.get(id);
    if (running) return running;
    const started = renewBudget(id)
      .catch((error) => {
        log.warn({ error, tokenId: id }, "the budget of an API key could not be filled");
        throw ledgerUnavailable({ code: "gateway_no_budget" });
      })
      .finally(() => renewals.delete(id));
    renewals.set(id, started);
    return started;
  };

  const count = async ({ id, requestsPerMinute, tokensPerMinute }: ApiKeyEntry): Promise<void> => {
    const key = String(id);
    if (tokensPerMinute > 0) {
      refuse("key_tokens_per_minute", await tokenLimiter(tokensPerMinute).check(key), (seconds) => ({
        code: "gateway_key_tokens",
        params: { count: tokensPerMinute, seconds },
      }));
    }
    if (requestsPerMinute > 0) {
      const wait = await callLimiter(requestsPerMinute).take(key);
      refuse("key_requests_per_minute", wait, (seconds) => ({
        code: "gateway_key_requests",
        params: { count: requestsPerMinute, seconds },
      }));
    }
  };
  return {
    async admit(token, nowSeconds) {
      await count(token);
      if (token.budgetRenewsAt !== 0 && token.budgetRenewsAt <= nowSeconds) await renew(token.id);
    },
    used({ id, tokensPerMinute }, tokens) {
      if (tokensPerMinute > 0 && tokens > 0) void tokenLimiter(tokensPerMinute).add(String(id), tokens);
    },
  };
}

function refuse(limit: LimitKind, waitSeconds: number, reason: (seconds: number) => Sentence): void {
  if (waitSeconds === 0) return;
  throw new GatewayError(429, "rate_limit_exceeded", reason(waitSeconds), {
    type: "rate_limit_error",
    retryAfterSeconds: waitSeconds,
    limit,
  });
}
