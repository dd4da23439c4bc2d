import { LRUCache } from "lru-cache";
import type { Choice } from "./choose.ts";

/**
 * Remembers which channel and key served a conversation, because its prompt is cached there. Bounded and short-lived:
 * providers evict their caches within minutes.
 */
export type Stickiness = {
  /** `until`: Unix time in milliseconds. */
  find(conversation: bigint): Readonly<{ channelId: number; key: string; until: number }> | null;
  keep(conversation: bigint, choice: Choice): void;
  /** The channel failed: the conversation's next call is routed by weight. */
  forget(conversation: bigint): void;
};

const MAX_CONVERSATIONS = 20_000;
const LIFE_MS = 10 * 60_000;

/** Remembers which channel and key serve a conversation. `now`: epoch milliseconds. */
export function createStickiness(now: () => number = Date.now): Stickiness {
  const entries = new LRUCache<bigint, { channelId: number; key: string; until: number }>({ max: MAX_CONVERSATIONS });
  return {
    find(conversation) {
      const found = entries.get(conversation);
      if (!found) return null;
      if (found.until > now()) return found;
      entries.delete(conversation);
      return null;
    },
    forget: (conversation) => void entries.delete(conversation),
    keep: (conversation, { channel, key }) =>
      void entries.set(conversation, { channelId: channel.id, key, until: now() + LIFE_MS }),
  };
}
