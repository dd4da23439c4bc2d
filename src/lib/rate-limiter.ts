/** Counts requests by key in bounded memory. */
export type RateLimiter = {
  /** Counts one request; 0 when it is allowed, else the seconds until the next one may be. */
  take(key: string): number;
  /** The same answer without counting. */
  check(key: string): number;
  /** Counts so many without asking. */
  add(key: string, amount: number): void;
  forget(key: string): void;
};

type Window = { index: number; count: number; before: number };

/** At most `count` requests in any `windowMs`. */
export type Limit = Readonly<{ count: number; windowMs: number }>;

/** Seconds until the next request may come, by what this window and the one before it have counted; 0: now. */
export function waitSeconds(limit: Limit, window: Readonly<{ count: number; before: number }>, time: number): number {
  const elapsed = (time % limit.windowMs) / limit.windowMs;
  const room = limit.count - 1;
  if (window.count + window.before * (1 - elapsed) <= room) return 0;
  // With this window full, the next must run until its share of it is small enough; else this one must.
  const untilShare = window.count > room ? 2 - room / window.count : 1 - (room - window.count) / window.before;
  return Math.max(1, Math.ceil(((untilShare - elapsed) * limit.windowMs) / 1000));
}

/**
 * At most `count` requests per key and window, by a sliding window counter: the last window counts in the share that still
 * overlaps. Of more than `maxKeys` keys the longest unused is forgotten.
 */
export function createRateLimiter(
  limit: Limit,
  { maxKeys = 50_000, now = Date.now }: Readonly<{ maxKeys?: number; now?: () => number }> = {},
): RateLimiter {
  const windows = new Map<string, Window>();

  const current = (key: string, index: number): Window => {
    const known = windows.get(key);
    if (!known || known.index < index - 1) return { index, count: 0, before: 0 };
    return known.index === index ? known : { index, count: 0, before: known.count };
  };

  const keep = (key: string, window: Window) => {
    windows.delete(key);
    windows.set(key, window);
    if (windows.size <= maxKeys) return;
    for (const oldest of windows.keys()) {
      windows.delete(oldest);
      return;
    }
  };

  return {
    take(key) {
      const time = now();
      const window = current(key, Math.floor(time / limit.windowMs));
      const wait = waitSeconds(limit, window, time);
      if (wait === 0) window.count += 1;
      keep(key, window);
      return wait;
    },
    check(key) {
      const time = now();
      return waitSeconds(limit, current(key, Math.floor(time / limit.windowMs)), time);
    },
    add(key, amount) {
      const window = current(key, Math.floor(now() / limit.windowMs));
      window.count += amount;
      keep(key, window);
    },
    forget: (key) => void windows.delete(key),
  };
}
