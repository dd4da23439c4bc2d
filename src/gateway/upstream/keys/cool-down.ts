/**
 * Keys of channels that pause: because their upstream requested it (429, `Retry-After`, a rate limit with nothing left), or
 * because they failed several times in a row. After the pause one call at a time probes the key; a success ends the cool-down, a failure doubles
 * the next pause. In memory, bounded by the number of failing keys.
 */
export type CoolDown = {
  /** Pauses `key` of the channel for `ms`. */
  start(channelId: number, key: string, ms: number): void;
  /** The provider says that a limit of `key` is used up for `ms`; 0: it has some left. Outlasts successful calls. */
  limited(channelId: number, key: string, ms: number): void;
  /** How many tokens the provider has left for `key`; null: enough. Outlasts successful calls. */
  allow(channelId: number, key: string, allowance: TokenAllowance | null): void;
  /** `promptTokens`: of the call, for keys with fewer tokens left. */
  isCooling(channelId: number, key: string, promptTokens?: number): boolean;
  /** Whether any key has few tokens left. */
  hasAllowances(): boolean;
  /** A call with so many tokens begins; if the key is due for a probe, this call is the probe. */
  begin(channelId: number, key: string, promptTokens?: number): void;
  /** The call received a response. */
  succeeded(channelId: number, key: string): void;
  /** The call failed because of the upstream (5xx, timeout, no connection). */
  failed(channelId: number, key: string): void;
  /** The state of a failing key, for operators; null if it is fine. Times are Unix milliseconds. */
  stateOf(channelId: number, key: string): Readonly<{ failures: number; until: number }> | null;
  /** Takes over what another worker of this host has seen of a key. */
  learn(channelId: number, key: string, seen: KeyState): void;
};

/** What calls have shown of a key: failures in a row, and until when it pauses (Unix milliseconds). All 0: it is fine. */
export type KeyState = Readonly<{
  failures: number;
  until: number;
  limitedUntil: number;
  /** Null: nothing is known of its tokens. */
  allowance: TokenAllowance | null;
}>;

type State = { -readonly [Name in keyof KeyState]: KeyState[Name] } & { probedAt: number };

const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** A probe without a result is given up after this time. */
const PROBE_MS = 60_000;

/**
 * Lets keys rest that an upstream refused or limited. `now`: epoch milliseconds. `onChange`: called with what calls of this
 * process have shown of a key.
 */
export function createCoolDown(
  now: () => number = Date.now,
  onChange: (channelId: number, key: string, state: KeyState) => void = () => {},
): CoolDown {
  const channels = new Map<number, Map<string, State>>();
  let allowances = 0;

  const allowTokens = (state: State, allowance: TokenAllowance | null) => {
    allowances += Number(allowance !== null) - Number(state.allowance !== null);
    state.allowance = allowance;
  };
  const make = (channelId: number, key: string): State => {
    const keys = channels.get(channelId) ?? new Map<string, State>();
    channels.set(channelId, keys);
    const state = keys.get(key) ?? { failures: 0, until: 0, probedAt: 0, limitedUntil: 0, allowance: null };
    keys.set(key, state);
    return state;
  };
  /** Forgets a key that is fine. */
  const forget = (channelId: number, key: string) => {
    const keys = channels.get(channelId);
    const state = keys?.get(key);
    if (state?.allowance && state.allowance.fullAt > now()) return;
    if (state) allowTokens(state, null);
    if (keys?.delete(key) && keys.size === 0) channels.delete(channelId);
  };
  const isFine = ({ failures, until, limitedUntil }: State) => failures === 0 && Math.max(until, limitedUntil) <= now();
  const isProbed = ({ failures, probedAt }: State) => failures >= FAILURES_BEFORE_PAUSE && now() - probedAt < PROBE_MS;

  /** What only a response's headers say is shared with them alone: else an older state would follow a newer one. */
  const share = (channelId: number, key: string, { failures, until, limitedUntil }: State) =>
    onChange(channelId, key, { failures, until, limitedUntil, allowance: null });

  return {
    start(channelId, key, ms) {
      const state = make(channelId, key);
      state.until = Math.max(state.until, now() + ms);
      share(channelId, key, state);
    },
    limited(channelId, key, ms) {
      const state = ms > 0 ? make(channelId, key) : channels.get(channelId)?.get(key);
      if (!state) return;
      state.limitedUntil = now() + Math.min(ms, MAX_PAUSE_MS);
      share(channelId, key, state);
    },
    allow(channelId, key, allowance) {
      const state = allowance ? make(channelId, key) : channels.get(channelId)?.get(key);
      if (!state || (allowance === null && state.allowance === null)) return;
      const [seenAt, most] = [now(), state.allowance?.most ?? 0];
      // As full, which other workers take over as the latest news.
      allowTokens(state, allowance ?? { left: most, most, seenAt, fullAt: seenAt });
      onChange(channelId, key, state);
      if (allowance === null && isFine(state)) forget(channelId, key);
    },
    hasAllowances: () => allowances > 0,
    isCooling(channelId, key, promptTokens = 0) {
      const state = channels.get(channelId)?.get(key);
      if (!state) return false;
      if (Math.max(state.until, state.limitedUntil) > now()) return true;
      if (state.allowance && promptTokens > tokensLeft(state.allowance, now())) return true;
      if (state.failures === 0) forget(channelId, key);
      return isProbed(state);
    },
    begin(channelId, key, promptTokens = 0) {
      const state = channels.get(channelId)?.get(key);
      if (state?.allowance) {
        const seenAt = now();
        const left = Math.max(0, tokensLeft(state.allowance, seenAt) - promptTokens);
        if (seenAt < state.allowance.fullAt) state.allowance = { ...state.allowance, left, seenAt };
      }
      if (state && state.failures >= FAILURES_BEFORE_PAUSE) state.probedAt = now();
    },
    succeeded(channelId, key) {
      const state = channels.get(channelId)?.get(key);
      if (!state) return;
      Object.assign(state, { failures: 0, until: 0, probedAt: 0 });
      if (state.limitedUntil <= now()) forget(channelId, key);
      share(channelId, key, state);
    },
    failed(channelId, key) {
      const state = make(channelId, key);
      state.failures += 1;
      state.probedAt = 0;
      const over = state.failures - FAILURES_BEFORE_PAUSE;
      if (over >= 0) state.until = now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** over);
      share(channelId, key, state);
    },
    stateOf(channelId, key) {
      const state = channels.get(channelId)?.get(key);
      if (!state || (state.allowance && isFine(state))) return null;
      return { failures: state.failures, until: Math.max(state.until, state.limitedUntil) };
    },
    learn(channelId, key, { failures, until, limitedUntil, allowance }) {
      const state = make(channelId, key);
      Object.assign(state, { failures, until, limitedUntil });
      if (allowance && allowance.seenAt > (state.allowance?.seenAt ?? 0)) allowTokens(state, allowance);
      if (isFine(state)) forget(channelId, key);
    },
  };
}

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
function tokensLeft({ left, most, seenAt, fullAt }: TokenAllowance, nowMs: number): number {
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
