/** The calls of a channel's key in the last hour, and those under way. Of this process alone, in memory. */
export type KeyTraffic = {
  begin(channelId: number, key: string): void;
  /** `failed` is null when the upstream is not to blame or praise: the call never reached it, or its client left. */
  end(channelId: number, key: string, failed: boolean | null, elapsedMs: number): void;
  /** Calls under way on all keys of a channel. */
  inFlight(channelId: number): number;
  of(channelId: number, key: string): TrafficOfHour;
};

export type TrafficOfHour = Readonly<{
  inFlight: number;
  /** Slots of five minutes, oldest first; `elapsedMs` is the sum over the calls that did not fail. */
  slots: readonly Readonly<{ count: number; failed: number; elapsedMs: number }>[];
}>;

const SLOT_MS = 300_000;
const SLOTS = 12;

type Slot = { at: number; count: number; failed: number; elapsedMs: number };
type Kept = { inFlight: number; slots: Slot[] };

const EMPTY = { count: 0, failed: 0, elapsedMs: 0 } as const;
const IDLE: TrafficOfHour = { inFlight: 0, slots: Array.from({ length: SLOTS }, () => EMPTY) };

export function createKeyTraffic(now: () => number = Date.now): KeyTraffic {
  const channels = new Map<number, Map<string, Kept>>();

  const keep = (channelId: number, key: string): Kept => {
    const keys = channels.get(channelId) ?? new Map<string, Kept>();
    const kept = keys.get(key) ?? { inFlight: 0, slots: [] };
    channels.set(channelId, keys);
    keys.set(key, kept);
    return kept;
  };
  const present = ({ slots }: Kept): Slot => {
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
      const kept = keep(channelId, key);
      kept.inFlight = Math.max(kept.inFlight - 1, 0);
      if (failed === null) return;
      const slot = present(kept);
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
      const kept = channels.get(channelId)?.get(key);
      if (!kept) return IDLE;
      const first = Math.floor(now() / SLOT_MS) - SLOTS + 1;
      const slots: TrafficOfHour["slots"][number][] = IDLE.slots.slice();
      for (const slot of kept.slots) if (slot.at >= first) slots[slot.at - first] = slot;
      return { inFlight: kept.inFlight, slots };
    },
  };
}
