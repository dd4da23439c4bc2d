import type { ChannelEntry } from "../../channels/entry.ts";
import type { CoolDown } from "./cool-down.ts";

/** Gives the keys of a channel in turn, leaving out disabled and already failed ones, and cooling ones unless `evenCooling`. */
export type KeyRing = {
  /** The next fit key; null when there is none. */
  next(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): string | null;
  hasFit(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): boolean;
  /** Whether this very key may be used now. */
  isFit(channel: ChannelEntry, key: string): boolean;
};

export function createKeyRing(coolDown: CoolDown): KeyRing {
  const turns = new Map<number, number>();

  const find = (
    channel: ChannelEntry,
    failed: ReadonlySet<string> | null,
    evenCooling: boolean,
    from: number,
  ): number => {
    const { keys, disabledKeys } = channel;
    for (let step = 0; step < keys.length; step += 1) {
      const index = (from + step) % keys.length;
      const key = keys[index] ?? "";
      if (disabledKeys.has(key) || failed?.has(key)) continue;
      if (evenCooling || !coolDown.isCooling(channel.id, key)) return index;
    }
    return -1;
  };

  return {
    next(channel, failed, evenCooling) {
      const index = find(channel, failed, evenCooling, turns.get(channel.id) ?? 0);
      if (index < 0) return null;
      if (channel.keys.length > 1) turns.set(channel.id, index + 1);
      return channel.keys[index] ?? null;
    },
    isFit: (channel, key) =>
      channel.keys.includes(key) && !channel.disabledKeys.has(key) && !coolDown.isCooling(channel.id, key),
    hasFit: (channel, failed, evenCooling) => find(channel, failed, evenCooling, 0) >= 0,
  };
}
