/**
 * What providers say of their limits in response headers: OpenAI and those compatible with it
 * (https://platform.openai.com/docs/guides/rate-limits), Anthropic (https://docs.anthropic.com/en/api/rate-limits).
 */

type ResponseHeaders = Pick<Headers, "get">;

/** The header with what is left of a limit, and the one with when it is full again. */
type LimitHeaders = readonly [remaining: string, reset: string];

const OPENAI_LIMITS: readonly LimitHeaders[] = ["requests", "tokens"].map((unit) => [
  `x-ratelimit-remaining-${unit}`,
  `x-ratelimit-reset-${unit}`,
]);
const ANTHROPIC_LIMITS: readonly LimitHeaders[] = ["requests", "tokens", "input-tokens", "output-tokens"].map(
  (unit) => [`anthropic-ratelimit-${unit}-remaining`, `anthropic-ratelimit-${unit}-reset`],
);

/**
 * How long a key must wait because a limit of it is used up, in milliseconds; 0 if all limits have something left. Null if the
 * headers don't have.
 */
export function exhaustedMs(headers: ResponseHeaders, nowMs?: number): number | null {
  const isOpenAi = headers.get("x-ratelimit-remaining-requests") !== null;
  if (!isOpenAi && headers.get("anthropic-ratelimit-requests-remaining") === null) return null;
  const limits = isOpenAi ? OPENAI_LIMITS : ANTHROPIC_LIMITS;
  const now = nowMs ?? Date.now();
  return Math.max(0, ...limits.map((limit) => waitOf(headers, limit, now)));
}

/** A provider's limit of tokens a minute, as last seen: it fills up evenly until it is full. Times are Unix milliseconds. */
export type TokenAllowance = Readonly<{ left: number; most: number; seenAt: number; fullAt: number }>;

/** With more tokens left than this, no prompt is too long for the rest. */
const AMPLE_TOKENS = 200_000;

/** What is left of a key's tokens; null: enough for every prompt, or the headers don't say. */
export function tokenAllowance(headers: ResponseHeaders, nowMs?: number): TokenAllowance | null {
  const isOpenAi = headers.get("x-ratelimit-remaining-tokens") !== null;
  const name = (what: string) => (isOpenAi ? `x-ratelimit-${what}-tokens` : `anthropic-ratelimit-input-tokens-${what}`);
  const remaining = headers.get(name("remaining"));
  if (remaining === null || remaining.trim() === "") return null;
  const left = Number(remaining);
  if (!(left < AMPLE_TOKENS)) return null;
  const most = Number(headers.get(name("limit")) ?? Number.NaN);
  const now = nowMs ?? Date.now();
  const ms = untilReset(headers.get(name("reset")) ?? "", now);
  return most >= left && ms > 0 ? { left, most, seenAt: now, fullAt: now + ms } : null;
}

/** How many tokens are left by now, as far as other calls use none. */
export function tokensLeft({ left, most, seenAt, fullAt }: TokenAllowance, nowMs: number): number {
  if (nowMs >= fullAt) return most;
  return left + (most - left) * (Math.max(0, nowMs - seenAt) / (fullAt - seenAt));
}

/** Nobody waits longer: a day covers limits by the day, and what is above is a mistake of the upstream. */
export const MOST_WAIT_S = 86_400;

/**
 * When a rejected request may be sent again, in the form of `Retry-After` (seconds): that header, `retry-after-ms`, or the reset
 * of a limit that is used up. At most a day. Null if the headers have none of these, or nonsense.
 */
export function retryAfterIn(headers: ResponseHeaders, nowMs: number): string | null {
  const retryAfter = headers.get("retry-after");
  if (retryAfter !== null) return secondsOf(retryAfter, nowMs);
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  const waitMs = ms >= 0 ? ms : exhaustedMs(headers, nowMs);
  return waitMs ? String(Math.min(waitMs / 1000, MOST_WAIT_S)) : null;
}

/** `Retry-After` (RFC 9110, section 10.2.3: seconds, or an HTTP date) in seconds. */
function secondsOf(text: string, nowMs: number): string | null {
  const isDate = /[a-z]{3}/i.test(text);
  const seconds = isDate ? (Date.parse(text) - nowMs) / 1000 : /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(seconds) ? String(Math.min(Math.max(seconds, 0), MOST_WAIT_S)) : null;
}

function waitOf(headers: ResponseHeaders, [remaining, reset]: LimitHeaders, nowMs: number): number {
  const left = headers.get(remaining);
  if (left === null || left.trim() === "" || !(Number(left) <= 0)) return 0;
  return untilReset(headers.get(reset) ?? "", nowMs);
}

/** Milliseconds until a limit is full again; 0: the text says nothing. */
function untilReset(text: string, nowMs: number): number {
  const ms = durationMs(text) ?? Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** “6m0s”, “1.5s”, “20ms”, or a number of seconds, in milliseconds; null: it is something else. */
function durationMs(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const parts = text === "" ? null : DURATION.exec(text);
  if (!parts) return null;
  const [, hours = 0, minutes = 0, seconds = 0, ms = 0] = parts;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms);
}
