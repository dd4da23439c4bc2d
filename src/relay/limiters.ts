import { createRateLimiter, type RateLimiter } from "../lib/rate-limiter.ts";
import type { SharedLimits, SharedRateLimiter } from "../lib/shared-limits.ts";

const MINUTE_MS = 60_000;

/** Limiters of so many a minute, one for each number, whose counts replicas share where there is a place for it. */
export function minuteLimiters(name: string, shared: SharedLimits | null) {
  const limiters = new Map<number, RateLimiter | SharedRateLimiter>();
  return (count: number): RateLimiter | SharedRateLimiter => {
    const known = limiters.get(count);
    if (known) return known;
    const limit = { count, windowMs: MINUTE_MS };
    const made = shared ? shared.limiter(`${name}-${count}`, limit) : createRateLimiter(limit);
    limiters.set(count, made);
    return made;
  };
}
