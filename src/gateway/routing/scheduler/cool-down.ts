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
  isCooling(channelId: number, key: string): boolean;
  /** A call begins; if the key is due for a probe, this call is the probe. */
  begin(channelId: number, key: string): void;
  /** The call received a response. */
  succeeded(channelId: number, key: string): void;
  /** The call failed because of the upstream (5xx, timeout, no connection). */
  failed(channelId: number, key: string): void;
  /** The state of a failing key, for operators; null if it is fine. Times are Unix milliseconds. */
  stateOf(channelId: number, key: string): Readonly<{ failures: number; until: number }> | null;
};

type State = { failures: number; until: number; probedAt: number; limitedUntil: number };

const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** A probe without a result is given up after this time. */
const PROBE_MS = 60_000;

export function createCoolDown(now: () => number = Date.now): CoolDown {
  const channels = new Map<number, Map<string, State>>();

  const find = (channelId: number, key: string) => channels.get(channelId)?.get(key);
  const make = (channelId: number, key: string): State => {
    const keys = channels.get(channelId) ?? new Map<string, State>();
    channels.set(channelId, keys);
    const state = keys.get(key) ?? { failures: 0, until: 0, probedAt: 0, limitedUntil: 0 };
    keys.set(key, state);
    return state;
  };
  const forget = (channelId: number, key: string) => {
    const keys = channels.get(channelId);
    if (keys?.delete(key) && keys.size === 0) channels.delete(channelId);
  };
  const isProbed = ({ failures, probedAt }: State) => failures >= FAILURES_BEFORE_PAUSE && now() - probedAt < PROBE_MS;

  return {
    start(channelId, key, ms) {
      const state = make(channelId, key);
      state.until = Math.max(state.until, now() + ms);
    },
    limited(channelId, key, ms) {
      const state = ms > 0 ? make(channelId, key) : find(channelId, key);
      if (state) state.limitedUntil = now() + Math.min(ms, MAX_PAUSE_MS);
    },
    isCooling(channelId, key) {
      const state = find(channelId, key);
      if (!state) return false;
      if (Math.max(state.until, state.limitedUntil) > now()) return true;
      if (state.failures === 0) forget(channelId, key);
      return isProbed(state);
    },
    begin(channelId, key) {
      const state = find(channelId, key);
      if (state && state.failures >= FAILURES_BEFORE_PAUSE) state.probedAt = now();
    },
    succeeded(channelId, key) {
      const state = find(channelId, key);
      if (!state) return;
      if (state.limitedUntil <= now()) forget(channelId, key);
      else Object.assign(state, { failures: 0, until: 0, probedAt: 0 });
    },
    failed(channelId, key) {
      const state = make(channelId, key);
      state.failures += 1;
      state.probedAt = 0;
      const over = state.failures - FAILURES_BEFORE_PAUSE;
      if (over >= 0) state.until = now() + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** over);
    },
    stateOf(channelId, key) {
      const state = find(channelId, key);
      return state ? { failures: state.failures, until: Math.max(state.until, state.limitedUntil) } : null;
    },
  };
}
