import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { Choice } from "../../call/route.ts";

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
  /** Takes over what another worker of this host remembers; null: the channel failed there. */
  learn(conversation: bigint, served: ServedBy | null): void;
};

/** Who served a conversation. */
export type ServedBy = Readonly<{ channelId: number; key: string }>;

/** `sharedUntil`: until then `onChange` need not be called again. */
type Entry = { channelId: number; key: string; until: number; sharedUntil: number };

const MAX_CONVERSATIONS = 20_000;
const LIFE_MS = 10 * 60_000;

/**
 * Remembers which channel and key serve a conversation. `now`: epoch milliseconds. `onChange`: called with what calls of this
 * process have changed, and when others would soon forget it.
 */
export function createStickiness(
  now: () => number = Date.now,
  onChange: (conversation: bigint, served: ServedBy | null) => void = () => {},
): Stickiness {
  const entries = recentEntries<bigint, Entry>(MAX_CONVERSATIONS);
  return {
    find(conversation) {
      const found = entries.get(conversation);
      if (!found) return null;
      if (found.until > now()) return found;
      entries.delete(conversation);
      return null;
    },
    forget(conversation) {
      if (entries.delete(conversation)) onChange(conversation, null);
    },
    keep(conversation, { channel, key }) {
      const known = entries.get(conversation);
      const at = now();
      if (known?.channelId === channel.id && known.key === key && at < known.sharedUntil) {
        known.until = at + LIFE_MS;
        return;
      }
      const served = { channelId: channel.id, key };
      entries.set(conversation, { ...served, until: at + LIFE_MS, sharedUntil: at + LIFE_MS / 2 });
      onChange(conversation, served);
    },
    learn(conversation, served) {
      if (served) entries.set(conversation, { ...served, until: now() + LIFE_MS, sharedUntil: 0 });
      else entries.delete(conversation);
    },
  };
}
