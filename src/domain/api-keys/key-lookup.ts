import { LRUCache } from "lru-cache";
import { nowSeconds } from "../../lib/clock.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { ApiKeyEntry } from "./directory/api-key-entry.ts";
import type { ApiKeyTable } from "./directory/api-key-table.ts";
import { importedKeyHash } from "./directory/key-hash.ts";

/** What a key leads to; `isPrevious`: it is the key from before a rotation. */
type Found = Readonly<{ entry: ApiKeyEntry | undefined; isPrevious: boolean }>;

const NONE: Found = { entry: undefined, isPrevious: false };

/** Keys in use whose look-up is remembered until any key changes. */
const MOST_REMEMBERED = 10_000;

/** Returns a function that finds an API key's entry by the key without `sk-`; undefined: there is none. */
export function createKeyLookup(
  table: ApiKeyTable,
  vault: Pick<Vault, "keyedHash">,
): (key: string) => ApiKeyEntry | undefined {
  const remembered = new LRUCache<string, Found>({ max: MOST_REMEMBERED });
  let rememberedVersion = table.version;
  const findByHash = (hash: string): Found | null => {
    const entry = table.findByHash(hash);
    return entry ? { entry, isPrevious: entry.keyHash !== hash } : null;
  };
  return (key) => {
    if (rememberedVersion !== table.version) {
      rememberedVersion = table.version;
      remembered.clear();
    }
    let found = remembered.get(key);
    if (!found) {
      found = findByHash(vault.keyedHash(key)) ?? findByHash(importedKeyHash(vault, key)) ?? NONE;
      // Invalid keys would push valid ones out of the cache.
      if (found.entry) remembered.set(key, found);
    }
    const { entry, isPrevious } = found;
    return entry && isPrevious && entry.previousKeyUntil <= nowSeconds() ? undefined : entry;
  };
}
