import { recentEntries } from "../values/tables/recent-entries.ts";
import { SlidingCount, waitSeconds } from "./sliding-count.ts";

/** Counts requests by key in bounded memory. */
export type RateLimiter = {
  /** Counts one request; 0 when it is allowed, else the seconds until the next one may be. */
  take(key: string): number;
  /** The same answer without counting. */
  check(key: string): number;
  /** Counts so many without asking. */
  add(key: string, amount: number): void;
  /** Counts one less, for a request that was counted within the window and does not count after all. */
  giveBack(key: string): void;
  forget(key: string): void;
};

/** At most `count` requests in any `windowMs`. */
export type Limit = Readonly<{ count: number; windowMs: number }>;

/**
 * At most `count` requests per key in every window of `windowMs`, wherever it begins. Of more than `maxKeys` keys the longest
 * unused is forgotten. `now`: epoch milliseconds.
 */
export function createRateLimiter(
  limit: Limit,
  { maxKeys = 50_000, now = Date.now }: Readonly<{ maxKeys?: number; now?: () => number }> = {},
): RateLimiter {
  // Bounded by size: bounded by `max`, each limiter would hold memory for all of its keys from the start.
  const counts = recentEntries<string, SlidingCount>(maxKeys);

  /** The key's count, as the most recently used one. */
  const use = (key: string): SlidingCount => {
    const known = counts.get(key);
    if (known) return known;
    const count = new SlidingCount(limit.windowMs);
    counts.set(key, count);
    return count;
  };

  return {
    take(key) {
      const time = now();
      const count = use(key);
      count.advance(time);
      if (count.total >= limit.count) return waitSeconds(limit, count.slices(), time);
      count.add(1);
      return 0;
    },
    check(key) {
      const time = now();
      const count = counts.peek(key);
      count?.advance(time);
      return count && count.total >= limit.count ? waitSeconds(limit, count.slices(), time) : 0;
    },
    add(key, amount) {
      const count = use(key);
      count.advance(now());
      count.add(amount);
    },
    giveBack(key) {
      const count = counts.peek(key);
      count?.advance(now());
      count?.takeBack();
    },
    forget: (key) => void counts.delete(key),
  };
}
