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
