import { createRateLimiter, type RateLimiter } from "../lib/rate-limiter.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { RelayError } from "./errors.ts";

/** Counts model requests per user. Another place to count (shared by replicas) only has to be this. */
export type ModelRequestLimit = {
  /** Counts a request as it comes. Throws or rejects RelayError 429 when one of the limits is reached. */
  admit(userId: number): void | Promise<void>;
  /** Counts a request that was answered with a status below 400. */
  succeeded(userId: number): void;
};

type Limits = { minutes: number; total: number; success: number; all: RateLimiter | null; successes: RateLimiter };

/**
 * Limits by the options ModelRequestRateLimit*: requests of any outcome (0: no limit) and successful ones, per user and
 * window, in bounded memory. A changed option starts a new count.
 */
export function createModelRequestLimit(settings: SettingsReader): ModelRequestLimit {
  let version = Number.NaN;
  let enabled = false;
  let limits: Limits | null = null;

  const refresh = () => {
    version = settings.version;
    enabled = settings.get("ModelRequestRateLimitEnabled");
    const minutes = Math.max(1, settings.get("ModelRequestRateLimitDurationMinutes"));
    const total = settings.get("ModelRequestRateLimitCount");
    const success = settings.get("ModelRequestRateLimitSuccessCount");
    if (limits?.minutes === minutes && limits.total === total && limits.success === success) return;
    const windowMs = minutes * 60_000;
    limits = {
      minutes,
      total,
      success,
      all: total > 0 ? createRateLimiter({ count: total, windowMs }) : null,
      successes: createRateLimiter({ count: success, windowMs }),
    };
  };

  return {
    admit(userId) {
      if (version !== settings.version) refresh();
      if (!enabled || !limits) return;
      const key = String(userId);
      const waitForAll = limits.all?.take(key) ?? 0;
      if (waitForAll > 0) throw tooMany(limits.total, limits.minutes, waitForAll);
      const waitForSuccess = limits.successes.check(key);
      if (waitForSuccess > 0) throw tooMany(limits.success, limits.minutes, waitForSuccess);
    },
    succeeded(userId) {
      if (enabled) limits?.successes.take(String(userId));
    },
  };
}

const tooMany = (count: number, minutes: number, retryAfterSeconds: number): RelayError =>
  new RelayError(
    429,
    "rate_limit_exceeded",
    `You may make ${count} requests in ${minutes} minute${minutes === 1 ? "" : "s"}. Try again in ${retryAfterSeconds} s.`,
    { type: "rate_limit_error", retryAfterSeconds },
  );
