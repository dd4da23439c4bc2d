import { nowSeconds } from "../../lib/clock.ts";

type NewToken = Readonly<{ text: string; lifeSeconds: number }>;
type CachedToken = { text: Promise<string>; fetchedAt: number; expiresAt: number };

const MAX_TOKENS = 1000;
/** A token younger than this was refused for another reason than its age. */
const YOUNG_SECONDS = 10;

/**
 * Keeps access tokens until `spareSeconds` before their end; each is asked for once however many calls want it. `ask` answers a
 * token and its life, and rejects with the reason why there is none.
 */
export function createTokenCache(spareSeconds: number) {
  const tokens = new Map<string, CachedToken>();
  return {
    get(name: string, ask: () => Promise<NewToken>): Promise<string> {
      const known = tokens.get(name);
      if (known && known.expiresAt - spareSeconds > nowSeconds()) return known.text;
      if (tokens.size >= MAX_TOKENS) tokens.clear();
      const request = ask();
      const cached: CachedToken = {
        text: request.then(({ text }) => text),
        fetchedAt: nowSeconds(),
        expiresAt: Number.POSITIVE_INFINITY,
      };
      tokens.set(name, cached);
      request.then(
        ({ lifeSeconds }) => {
          cached.expiresAt = cached.fetchedAt + lifeSeconds;
        },
        () => tokens.delete(name),
      );
      return cached.text;
    },

    /** Whether there was one that may have been too old. */
    forget(name: string): boolean {
      const known = tokens.get(name);
      tokens.delete(name);
      return known !== undefined && nowSeconds() - known.fetchedAt >= YOUNG_SECONDS;
    },
  };
}
