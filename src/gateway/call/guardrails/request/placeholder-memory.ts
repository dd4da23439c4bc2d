import { LRUCache } from "lru-cache";

/** How many values, and how many answers of conversations, a process remembers, and for how long. */
const MOST_VALUES = 20_000;
const MOST_ANSWERS = 20_000;
const TTL_MS = 24 * 3_600_000;

/**
 * Values of requests whose conversation a provider stores: a later request names the conversation and does not repeat them. They belong
 * to that conversation alone, which its answers and its own id name, for the tenant who began it. In memory alone; what is forgotten
 * stays a placeholder.
 */
export class PlaceholderMemory {
  readonly #values = new LRUCache<string, string>({ max: MOST_VALUES, ttl: TTL_MS });
  readonly #conversations = new LRUCache<string, string>({ max: MOST_ANSWERS, ttl: TTL_MS });

  /** The conversation that a tenant's request goes on with by one of these ids; a new one where none is known. */
  conversationOf(tenant: string, ids: readonly string[]): StoredConversation {
    const known = ids.map((id) => this.#conversations.get(`${tenant} ${id}`)).find((key) => key !== undefined);
    const key = known ?? Bun.randomUUIDv7();
    return {
      recall: (placeholder) => this.#values.get(`${key} ${placeholder}`),
      remember: (entries) => {
        for (const [placeholder, value] of entries) this.#values.set(`${key} ${placeholder}`, value);
      },
      nameAs: (id) => void this.#conversations.set(`${tenant} ${id}`, key),
    };
  }
}

/** The values of one conversation. */
export type StoredConversation = Readonly<{
  recall(placeholder: string): string | undefined;
  remember(entries: Iterable<readonly [placeholder: string, value: string]>): void;
  /** An id by which a later request may go on with it. */
  nameAs(id: string): void;
}>;
