/** A failed attempt, as far as the decision to try again looks at it. */
export type Failure = Readonly<{
  /** Status after the channel's status mapping. */
  status: number;
  /** Statuses after which this provider's calls may succeed elsewhere, though others' don't. */
  retryableStatuses?: readonly number[] | undefined;
}>;

const DEFAULT_COOL_DOWN_MS = 5_000;
const LONGEST_COOL_DOWN_MS = 300_000;

/**
 * Whether another channel may succeed: after 429, 307, 5xx and most 4xx; not after timeouts (504, 524, 408), since the client
 * has waited long enough; after 400 only where the provider lists it as retryable.
 */
export function isRetryable({ status, retryableStatuses }: Failure): boolean {
  if (status === 504 || status === 524 || status === 408) return false;
  if (status === 400) return retryableStatuses?.includes(400) === true;
  return status < 200 || status > 299;
}

/** How long a key is left alone, in ms, after a 429 or as a fault says: by `Retry-After` (seconds or a date), within limits. */
export function coolDownMs(retryAfter: string | null, nowMs: number): number {
  if (!retryAfter) return DEFAULT_COOL_DOWN_MS;
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_COOL_DOWN_MS) : DEFAULT_COOL_DOWN_MS;
}
