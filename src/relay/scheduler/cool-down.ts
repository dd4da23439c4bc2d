/** Keys of channels that an upstream asked to leave alone for a while (429). In memory, bounded by what is cooling. */
export type CoolDown = {
  /** Leaves `key` of the channel alone for `ms`. */
  start(channelId: number, key: string, ms: number): void;
  isCooling(channelId: number, key: string): boolean;
};

export function createCoolDown(now: () => number = Date.now): CoolDown {
  const until = new Map<number, Map<string, number>>();
  return {
    start(channelId, key, ms) {
      const keys = until.get(channelId) ?? new Map<string, number>();
      until.set(channelId, keys);
      keys.set(key, Math.max(keys.get(key) ?? 0, now() + ms));
    },
    isCooling(channelId, key) {
      const keys = until.get(channelId);
      const end = keys?.get(key);
      if (!keys || end === undefined) return false;
      if (end > now()) return true;
      keys.delete(key);
      if (keys.size === 0) until.delete(channelId);
      return false;
    },
  };
}
