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

/** Lets keys rest that an upstream refused or limited. `now`: epoch milliseconds. */
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

/** The calls of a channel's key in the last hour, and those in progress. In memory, of this process only. */
export type KeyTraffic = {
  begin(channelId: number, key: string): void;
  /**
   * `failed` is null if the result says nothing about the upstream: the call never reached it, or its client
   * disconnected.
   */
  end(channelId: number, key: string, failed: boolean | null, elapsedMs: number): void;
  /** Calls in progress on all keys of a channel. */
  inFlight(channelId: number): number;
  of(channelId: number, key: string): TrafficOfHour;
  /** The state to save for the next start; it contains no keys. */
  snapshot(): TrafficSnapshot;
};

/** The calls of the last hour by channel and a short hash of the key. */
export type TrafficSnapshot = Readonly<Record<string, readonly Slot[]>>;

export type TrafficOfHour = Readonly<{
  inFlight: number;
  /** Slots of five minutes, oldest first; `elapsedMs` is the sum over successful calls. */
  slots: readonly Readonly<{ count: number; failed: number; elapsedMs: number }>[];
}>;

const SLOT_MS = 300_000;
const SLOTS = 12;

type Slot = { at: number; count: number; failed: number; elapsedMs: number };
type TrafficRecord = { inFlight: number; slots: Slot[] };

const EMPTY = { count: 0, failed: 0, elapsedMs: 0 } as const;
const IDLE: TrafficOfHour = { inFlight: 0, slots: Array.from({ length: SLOTS }, () => EMPTY) };

/** `before`: the snapshot of an earlier process. */
export function createKeyTraffic(now: () => number = Date.now, before: TrafficSnapshot = {}): KeyTraffic {
  const channels = new Map<number, Map<string, TrafficRecord>>();
  const earlier = new Map(Object.entries(before));

  /** Takes over the calls from before the start, once. */
  const inherit = (channelId: number, key: string): TrafficRecord | undefined => {
    if (earlier.size === 0) return undefined;
    const name = nameOf(channelId, key);
    const slots = earlier.get(name);
    earlier.delete(name);
    return slots && { inFlight: 0, slots: [...slots] };
  };
  const find = (channelId: number, key: string): TrafficRecord | undefined => {
    const known = channels.get(channelId)?.get(key);
    if (known) return known;
    const inherited = inherit(channelId, key);
    if (inherited) put(channelId, key, inherited);
    return inherited;
  };
  const put = (channelId: number, key: string, record: TrafficRecord) => {
    const keys = channels.get(channelId) ?? new Map<string, TrafficRecord>();
    channels.set(channelId, keys);
    keys.set(key, record);
  };
  const keep = (channelId: number, key: string): TrafficRecord => {
    const known = find(channelId, key);
    if (known) return known;
    const record: TrafficRecord = { inFlight: 0, slots: [] };
    put(channelId, key, record);
    return record;
  };
  const firstSlot = () => Math.floor(now() / SLOT_MS) - SLOTS + 1;
  const present = ({ slots }: TrafficRecord): Slot => {
    const at = Math.floor(now() / SLOT_MS);
    const last = slots.at(-1);
    if (last?.at === at) return last;
    const slot = { at, count: 0, failed: 0, elapsedMs: 0 };
    slots.push(slot);
    if (slots.length > SLOTS) slots.shift();
    return slot;
  };

  return {
    begin(channelId, key) {
      keep(channelId, key).inFlight += 1;
    },
    end(channelId, key, failed, elapsedMs) {
      const record = keep(channelId, key);
      record.inFlight = Math.max(record.inFlight - 1, 0);
      if (failed === null) return;
      const slot = present(record);
      slot.count += 1;
      if (failed) slot.failed += 1;
      else slot.elapsedMs += elapsedMs;
    },
    inFlight(channelId) {
      let sum = 0;
      for (const { inFlight } of channels.get(channelId)?.values() ?? []) sum += inFlight;
      return sum;
    },
    of(channelId, key) {
      const record = find(channelId, key);
      if (!record) return IDLE;
      const first = firstSlot();
      const slots: TrafficOfHour["slots"][number][] = IDLE.slots.slice();
      for (const slot of record.slots) if (slot.at >= first) slots[slot.at - first] = slot;
      return { inFlight: record.inFlight, slots };
    },
    snapshot() {
      const first = firstSlot();
      const fresh = (slots: readonly Slot[]) => slots.filter(({ at }) => at >= first);
      const all: [string, readonly Slot[]][] = [...earlier].map(([name, slots]) => [name, fresh(slots)]);
      for (const [channelId, keys] of channels)
        for (const [key, { slots }] of keys) all.push([nameOf(channelId, key), fresh(slots)]);
      return Object.fromEntries(all.filter(([, slots]) => slots.length > 0));
    },
  };
}

/** Identifies a key without revealing it. */
const nameOf = (channelId: number, key: string): string => `${channelId} ${Bun.hash(key).toString(36)}`;
