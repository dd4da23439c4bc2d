import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { CoolDown } from "./cool-down.ts";

/**
 * Rotates through the keys of a channel, or picks them at random if its setting `multi_key_mode` says so. Skips
 * disabled and failed keys, and cooling ones unless `evenCooling`.
 */
export type KeyRing = {
  /** The next usable key; null if there is none. */
  next(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): string | null;
  hasFit(channel: ChannelEntry, failed: ReadonlySet<string> | null, evenCooling: boolean): boolean;
  /** Whether this key is usable now. */
  isFit(channel: ChannelEntry, key: string): boolean;
};

export function createKeyRing(coolDown: CoolDown, random: () => number = Math.random): KeyRing {
  const turns = new Map<number, number>();

  const isFitAt = (
    { id, keys, disabledKeys }: ChannelEntry,
    index: number,
    failed: ReadonlySet<string> | null,
    evenCooling: boolean,
  ): boolean => {
    const key = keys[index] ?? "";
    // Checks the size first: a lookup hashes the whole key, which is rarely in the processor's cache if there are many
    // channels.
    if ((disabledKeys.size > 0 && disabledKeys.has(key)) || failed?.has(key)) return false;
    return evenCooling || !coolDown.isCooling(id, key);
  };

  const find = (
    channel: ChannelEntry,
    failed: ReadonlySet<string> | null,
    evenCooling: boolean,
    from: number,
  ): number => {
    const { length } = channel.keys;
    for (let step = 0; step < length; step += 1) {
      const index = (from + step) % length;
      if (isFitAt(channel, index, failed, evenCooling)) return index;
    }
    return -1;
  };

  return {
    next(channel, failed, evenCooling) {
      const { id, keys, setting } = channel;
      if (keys.length > 1 && setting.multi_key_mode === "random") {
        const fit = keys.filter((_, index) => isFitAt(channel, index, failed, evenCooling));
        return fit[Math.floor(random() * fit.length)] ?? null;
      }
      const index = find(channel, failed, evenCooling, turns.get(id) ?? 0);
      if (index < 0) return null;
      if (keys.length > 1) turns.set(id, index + 1);
      return keys[index] ?? null;
    },
    isFit: (channel, key) =>
      channel.keys.includes(key) && !channel.disabledKeys.has(key) && !coolDown.isCooling(channel.id, key),
    hasFit: (channel, failed, evenCooling) => find(channel, failed, evenCooling, 0) >= 0,
  };
}
