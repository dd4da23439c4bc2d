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
  const make = (channelId: number, key: string): TrafficRecord =>
    put(channelId, key, inherit(channelId, key) ?? { inFlight: 0, slots: [] });
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
      const record = channels.get(channelId)?.get(key) ?? make(channelId, key);
      record.inFlight += 1;
    },
    end(channelId, key, failed, elapsedMs) {
      const record = channels.get(channelId)?.get(key) ?? make(channelId, key);
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
    learnEnded: (channelId, key, ended) => add(find(channelId, key) ?? make(channelId, key), ended),
  };
}

/** Identifies a key without revealing it. */
const nameOf = (channelId: number, key: string): string => `${channelId} ${Bun.hash(key).toString(36)}`;
