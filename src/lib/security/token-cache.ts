import { nowSeconds } from "../clock.ts";
import { recentEntries } from "../values/tables/recent-entries.ts";

type NewToken = Readonly<{ text: string; lifeSeconds: number }>;
type CachedToken = { text: Promise<string>; fetchedAt: number; expiresAt: number };

const MAX_TOKENS = 1000;
/** A token younger than this was not rejected because of its age. */
const MIN_AGE_SECONDS = 10;

/**
 * Caches access tokens until `spareSeconds` before they expire; concurrent calls share one request for a token. `ask` resolves
 * to a token and its lifetime, and rejects with the reason why there is none.
 */
export function createTokenCache(spareSeconds: number) {
  const tokens = recentEntries<string, CachedToken>(MAX_TOKENS);
  return {
    get(name: string, ask: () => Promise<NewToken>): Promise<string> {
      const known = tokens.get(name);
      if (known && known.expiresAt - spareSeconds > nowSeconds()) return known.text;
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

    /** Removes a token; true: it was old enough to have expired or been revoked. `isExpired`: the service says that it is. */
    forget(name: string, isExpired = false): boolean {
      const known = tokens.get(name);
      tokens.delete(name);
      return known !== undefined && (isExpired || nowSeconds() - known.fetchedAt >= MIN_AGE_SECONDS);
    },
  };
}
