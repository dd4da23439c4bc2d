import { LRUCache } from "lru-cache";

/** How many values a process remembers, and for how long. */
const MOST_VALUES = 20_000;
const TTL_MS = 24 * 3_600_000;

/**
 * Values of requests whose conversation is stored, by tenant and placeholder: a later request names the conversation and does not
 * repeat them. In memory alone; what is forgotten stays a placeholder.
 */
export class PlaceholderMemory {
  readonly #values = new LRUCache<string, string>({ max: MOST_VALUES, ttl: TTL_MS });

  /** Reads a tenant's values. */
  recallOf(tenant: string): (placeholder: string) => string | undefined {
    return (placeholder) => this.#values.get(`${tenant} ${placeholder}`);
  }

  remember(tenant: string, entries: Iterable<readonly [placeholder: string, value: string]>): void {
    for (const [placeholder, value] of entries) this.#values.set(`${tenant} ${placeholder}`, value);
  }
}
