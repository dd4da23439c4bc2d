import { createLimiter, type Limiter, type SharedLimits } from "../../lib/limits/shared-limits.ts";

const MINUTE_MS = 60_000;

/** Per-minute limiters, one for each limit, whose counts replicas share if `shared` provides a place for them. */
export function minuteLimiters(name: string, shared: SharedLimits | null) {
  const limiters = new Map<number, Limiter>();
  return (count: number): Limiter => {
    const known = limiters.get(count);
    if (known) return known;
    const made = createLimiter(shared, `${name}-${count}`, { count, windowMs: MINUTE_MS });
    limiters.set(count, made);
    return made;
  };
}
