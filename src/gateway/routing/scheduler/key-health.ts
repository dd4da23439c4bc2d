import { type TokenAllowance, tokensLeft } from "../../upstream/provider-limits.ts";

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

/** The calls of a channel's key in the last hour, and those in progress: of this process, and of what others report. In memory. */
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
  /** Calls in progress here, by channel and key. */
  underWay(): CallsUnderWay;
  /** Takes over how many calls are in progress in another worker of this host. */
  learnUnderWay(worker: number, calls: CallsUnderWay): void;
  /** Adds calls that ended in another worker. */
  learnEnded(channelId: number, key: string, ended: EndedCalls): void;
};

export type CallsUnderWay = readonly (readonly [channelId: number, key: string, calls: number])[];
export type EndedCalls = Readonly<{ count: number; failed: number; elapsedMs: number }>;

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

/** `before`: the snapshot of an earlier process. `onEnd`: called with calls of this process that ended, if given. */
export function createKeyTraffic(
  now: () => number = Date.now,
  before: TrafficSnapshot = {},
  onEnd?: (channelId: number, key: string, ended: EndedCalls) => void,
): KeyTraffic {
  const channels = new Map<number, Map<string, TrafficRecord>>();
  const earlier = new Map(Object.entries(before));
  /** Calls in progress by worker, channel and key. */
  const elsewhere = new Map<number, Map<number, Map<string, number>>>();

  /** Takes over the calls from before the start, once. */
  const inherit = (channelId: number, key: string): TrafficRecord | undefined => {
    if (earlier.size === 0) return undefined;
    const name = nameOf(channelId, key);
    const slots = earlier.get(name);
    earlier.delete(name);
    return slots && { inFlight: 0, slots: [...slots] };
  };
  const put = (channelId: number, key: string, record: TrafficRecord): TrafficRecord => {
    const keys = channels.get(channelId) ?? new Map<string, TrafficRecord>();
    channels.set(channelId, keys);
    keys.set(key, record);
    return record;
  };
  const find = (channelId: number, key: string): TrafficRecord | undefined => {
    const known = channels.get(channelId)?.get(key);
    const inherited = known ? undefined : inherit(channelId, key);
    return inherited ? put(channelId, key, inherited) : known;
  };
  const keep = (channelId: number, key: string): TrafficRecord =>
    channels.get(channelId)?.get(key) ?? put(channelId, key, inherit(channelId, key) ?? { inFlight: 0, slots: [] });
  const firstSlot = () => Math.floor(now() / SLOT_MS) - SLOTS + 1;
  const add = ({ slots }: TrafficRecord, { count, failed, elapsedMs }: EndedCalls) => {
    const at = Math.floor(now() / SLOT_MS);
    let slot = slots.at(-1);
    if (slot?.at !== at) {
      slot = { at, count: 0, failed: 0, elapsedMs: 0 };
      slots.push(slot);
      if (slots.length > SLOTS) slots.shift();
    }
    slot.count += count;
    slot.failed += failed;
    slot.elapsedMs += elapsedMs;
  };

  return {
    begin(channelId, key) {
      keep(channelId, key).inFlight += 1;
    },
    end(channelId, key, failed, elapsedMs) {
      const record = keep(channelId, key);
      record.inFlight = Math.max(record.inFlight - 1, 0);
      if (failed === null) return;
      const ended = { count: 1, failed: Number(failed), elapsedMs: failed ? 0 : elapsedMs };
      add(record, ended);
      onEnd?.(channelId, key, ended);
    },
    inFlight(channelId) {
      let sum = 0;
      for (const { inFlight } of channels.get(channelId)?.values() ?? []) sum += inFlight;
      for (const worker of elsewhere.values()) for (const calls of worker.get(channelId)?.values() ?? []) sum += calls;
      return sum;
    },
    of(channelId, key) {
      const record = find(channelId, key);
      let inFlight = record?.inFlight ?? 0;
      for (const worker of elsewhere.values()) inFlight += worker.get(channelId)?.get(key) ?? 0;
      if (!record) return { ...IDLE, inFlight };
      const first = firstSlot();
      const slots: TrafficOfHour["slots"][number][] = IDLE.slots.slice();
      for (const slot of record.slots) if (slot.at >= first) slots[slot.at - first] = slot;
      return { inFlight, slots };
    },
    snapshot() {
      const first = firstSlot();
      const fresh = (slots: readonly Slot[]) => slots.filter(({ at }) => at >= first);
      const all: [string, readonly Slot[]][] = [...earlier].map(([name, slots]) => [name, fresh(slots)]);
      for (const [channelId, keys] of channels)
        for (const [key, { slots }] of keys) all.push([nameOf(channelId, key), fresh(slots)]);
      return Object.fromEntries(all.filter(([, slots]) => slots.length > 0));
    },
    underWay() {
      const calls: [number, string, number][] = [];
      for (const [channelId, keys] of channels)
        for (const [key, { inFlight }] of keys) if (inFlight > 0) calls.push([channelId, key, inFlight]);
      return calls;
    },
    learnUnderWay(worker, calls) {
      elsewhere.delete(worker);
      if (calls.length === 0) return;
      const counts = new Map<number, Map<string, number>>();
      for (const [channelId, key, count] of calls) {
        const keys = counts.get(channelId) ?? new Map<string, number>();
        counts.set(channelId, keys.set(key, count));
      }
      elsewhere.set(worker, counts);
    },
    learnEnded: (channelId, key, ended) => add(keep(channelId, key), ended),
  };
}

/** Identifies a key without revealing it. */
const nameOf = (channelId: number, key: string): string => `${channelId} ${Bun.hash(key).toString(36)}`;
