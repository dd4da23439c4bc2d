import { LRUCache } from "lru-cache";

/**
 * A cache of the `most` entries that were used last; `ttl`: milliseconds after which one is forgotten. It grows with what is
 * in it: with the library's own `max` it would take 25 bytes an entry at once, some 6 MiB of an idle process over all caches.
 */
export const recentEntries = <Key extends {}, Value extends {}>(most: number, ttl = 0): LRUCache<Key, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ttl });
