import type { UserEntry } from "../../domain/accounts/directory.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { createLimiter, type Limiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";
import type { Sentence } from "../../lib/messages.ts";
import type { LimitKind } from "../../lib/runtime/metrics/metrics.ts";
import type { Capability, TaskCapability } from "../../providers/contract/provider.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError, ledgerUnavailable } from "../call/errors.ts";
import type { Services, Uses } from "../call/services.ts";
import type { Arrival } from "../request/arrival.ts";
import { limitedAccounts, limitedPersons } from "./limits/limited-accounts.ts";
import type { Limits } from "./limits/limits.ts";
import { minuteLimiters } from "./limits/user-limits.ts";

/** What these functions work with. */
export type RateLimitContext = Pick<Limits, "requestLimit" | "tokenLimits" | "userLimits">;

/**
 * Checks that the site offers the endpoint (OpenAIEndpointEnabled, ClaudeEndpointEnabled, DrawingEnabled, TaskEnabled) to such
 * clients. Throws GatewayError.
 */
export function refuseClosed(
  { services: { settings } }: Uses<"settings">,
  { request, endpoint: { codec, capability } }: Pick<Arrival, "request" | "endpoint">,
): void {
  const { dialect } = codec;
  const taskOption = TASK_OPTIONS[capability];
  if (taskOption) {
    if (!settings.values[taskOption]) throw new GatewayError(403, "endpoint_disabled", { code: "gateway_tasks_off" });
  } else if (dialect.startsWith("openai") && !settings.values.OpenAIEndpointEnabled) {
    throw new GatewayError(403, "endpoint_disabled", { code: "gateway_openai_off" });
  } else if (dialect === "anthropic" && !settings.values.ClaudeEndpointEnabled) {
    throw new GatewayError(403, "endpoint_disabled", { code: "gateway_anthropic_off" });
  }
  if (settings.values["global.block_browser_extension_enabled"]) refuseBrowserExtension(request);
}

/** The options that offer tasks. */
const TASK_OPTIONS: Readonly<
  Record<TaskCapability, "DrawingEnabled" | "TaskEnabled"> & Partial<Record<Capability, undefined>>
> = { drawing: "DrawingEnabled", music: "TaskEnabled", video: "TaskEnabled" };

/** Whether any limit counts the caller's requests. */
export const isLimited = ({ services }: Uses<"settings">, { user, owners, token }: Caller): boolean =>
  services.settings.values.ModelRequestRateLimitEnabled ||
  user.requestsPerMinute > 0 ||
  owners?.some(({ requestsPerMinute }) => requestsPerMinute > 0) ||
  (token !== null && (token.requestsPerMinute > 0 || token.tokensPerMinute > 0 || token.budgetRenewsAt !== 0));

/** Counts the request toward the limits of the site, the user and the key. Rejects GatewayError. */
export async function rateLimit(
  { requestLimit, userLimits, tokenLimits }: RateLimitContext,
  caller: Caller,
): Promise<void> {
  const { token } = caller;
  for (const { id } of limitedPersons(caller)) await requestLimit.admit(id);
  for (const account of limitedAccounts(caller)) await userLimits.admit(account);
  if (token) await tokenLimits.admit(token, nowSeconds());
}

/**
 * Browser extensions can read what a page contains; sites can block them (global.block_browser_extension_enabled). Throws
 * GatewayError.
 */
export function refuseBrowserExtension(request: Request): void {
  const origin = request.headers.get("origin") ?? "";
  if (origin.includes("extension") && origin.includes("://")) {
    throw new GatewayError(403, "browser_extension_blocked", { code: "gateway_no_extensions" });
  }
}

/** Counts model requests per person, in this process or together with the replicas. */
export type ModelRequestLimit = {
  /** Counts an incoming request. Rejects GatewayError 429 when a limit is reached. */
  admit(userId: number): Promise<void>;
  /**
   * Counts a call that is about to be sent as successful, so that calls in parallel cannot pass the limit together. Rejects
   * GatewayError 429 when the limit is reached.
   */
  begin(call: LimitedCall): Promise<void>;
  /** The call's response had a status below 400. Counts it if it did not begin. */
  succeeded(call: LimitedCall): void;
  /** The call failed: it no longer counts as successful. */
  failed(call: LimitedCall): void;
};

/** A call, of which there may be copies: all have the same client, which keeps how to take back what was counted. */
type LimitedCall = Readonly<{
  progress: Readonly<{ client: { takeBack?: (() => void) | null } }>;
  caller: Readonly<{ user: UserEntry; owners?: readonly UserEntry[] | undefined }>;
}>;

type RequestLimits = { minutes: number; total: number; success: number; all: Limiter | null; successes: Limiter };

/**
 * Limits by the options ModelRequestRateLimit*: all requests (0: no limit) and successful ones, per user and window, in
 * bounded memory. Changing an option restarts the count.
 */
export function createModelRequestLimit(settings: SettingsReader, shared: SharedLimits | null): ModelRequestLimit {
  let latest: RequestLimits | null = null;

  /** Null: the site does not limit requests. */
  const current = (): RequestLimits | null => {
    if (!settings.values.ModelRequestRateLimitEnabled) return null;
    const minutes = Math.max(1, settings.values.ModelRequestRateLimitDurationMinutes);
    const total = settings.values.ModelRequestRateLimitCount;
    const success = settings.values.ModelRequestRateLimitSuccessCount;
    if (latest?.minutes === minutes && latest.total === total && latest.success === success) return latest;
    const windowMs = minutes * 60_000;
    const limiter = (name: string, count: number) => createLimiter(shared, name, { count, windowMs });
    latest = {
      minutes,
      total,
      success,
      all: total > 0 ? limiter("calls", total) : null,
      successes: limiter("successes", success),
    };
    return latest;
  };

  return {
    async admit(userId) {
      const limits = current();
      if (!limits) return;
      const { all, successes } = limits;
      const key = String(userId);
      if (all) {
        // Neither rejects, and the second need not wait for the first.
        const taking = all.take(key);
        const forSuccess = await successes.check(key);
        refuseOver(limits, await taking, forSuccess);
      } else refuseOver(limits, 0, await successes.check(key));
    },
    async begin({ progress: { client }, caller }) {
      const limits = current();
      if (!limits) return;
      const countedAtMs = performance.now();
      const counted: string[] = [];
      // A call that lasted longer than the window has left it already.
      const takeBack = () => {
        if (performance.now() - countedAtMs >= limits.minutes * 60_000) return;
        for (const key of counted) void limits.successes.giveBack(key);
      };
      for (const { id } of limitedPersons(caller)) {
        const key = String(id);
        const waitSeconds = await limits.successes.take(key);
        if (waitSeconds > 0) takeBack();
        refuseOver(limits, 0, waitSeconds);
        counted.push(key);
      }
      client.takeBack = takeBack;
    },
    succeeded({ progress: { client }, caller }) {
      const isCounted = client.takeBack != null;
      client.takeBack = null;
      if (!isCounted) for (const { id } of limitedPersons(caller)) void current()?.successes.take(String(id));
    },
    failed({ progress: { client } }) {
      client.takeBack?.();
      client.takeBack = null;
    },
  };
}

/** `forAll`, `forSuccess`: seconds until a request is allowed again; 0: it is. */
function refuseOver({ total, success, minutes }: RequestLimits, forAll: number, forSuccess: number): undefined {
  if (forAll > 0) throw tooMany("user_requests", total, minutes, forAll);
  if (forSuccess > 0) throw tooMany("user_successes", success, minutes, forSuccess);
}

const tooMany = (limit: LimitKind, count: number, minutes: number, retryAfterSeconds: number): GatewayError =>
  new GatewayError(
    429,
    "rate_limit_exceeded",
    minutes === 1
      ? { code: "gateway_requests_in_a_minute", params: { count, seconds: retryAfterSeconds } }
      : { code: "gateway_requests_in_minutes", params: { count, minutes, seconds: retryAfterSeconds } },
    { type: "rate_limit_error", retryAfterSeconds, limit },
  );

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

/** Creates the limits of this process's keys; replicas share the counts if `shared` provides a place for them. */
export function createApiKeyLimits({
  sharedLimits,
  renewBudget,
  log,
}: Pick<Services, "log" | "renewBudget" | "sharedLimits">): ApiKeyLimits {
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
