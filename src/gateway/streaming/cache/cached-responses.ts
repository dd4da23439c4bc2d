import { LRUCache } from "lru-cache";
import type { Usage } from "../../../formats/conversation/reply.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
import type { SharedTexts } from "../../../lib/redis/shared-texts.ts";
import type { RecordedResponse } from "../../call/recording.ts";

/** A response in the cache. */
export type CachedResponse = RecordedResponse &
  Readonly<{
    contentType: string;
    isStream: boolean;
    /** The stream has a chunk with its usage, for clients of chat completions that ask for it. */
    withUsage: boolean;
    /** Epoch seconds. */
    storedAt: number;
  }>;

/** How long a call waits for an equal one at most; then it is made, too. */
const MOST_WAIT_MS = 60_000;

/** What an entry takes besides its text and key. */
const OVERHEAD_BYTES = 500;

/** The responses that this process has, and the calls whose responses are on their way. */
export class CachedResponses {
  #maxBytes = 1;
  #entries = makeEntries(1);
  readonly #underWay = new Map<string, Promise<CachedResponse | null>>();

  /** `shared`: where replicas share responses; null: each process has its own. */
  constructor(private readonly shared: Pick<SharedTexts, "get" | "set"> | null) {}

  /** The response of this key; null: there is none. `isShared`: also of other replicas. */
  async find(key: string, isShared: boolean): Promise<CachedResponse | null> {
    const own = this.#entries.get(key);
    if (own || !isShared || !this.shared) return own ?? null;
    const text = await this.shared.get(key);
    return text === null ? null : readEntry(text);
  }

  /** The response of an equal call that is under way; null: there is no such call, or it brought nothing that is kept. */
  async awaitEqual(key: string): Promise<CachedResponse | null> {
    const running = this.#underWay.get(key);
    if (!running) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, MOST_WAIT_MS, null);
    const answer = await Promise.race([running, promise]);
    clearTimeout(timer);
    return answer;
  }

  /** Announces a call whose response may be kept: equal ones wait until the returned function is called, once. */
  begin(key: string, ttlSeconds: number, isShared: boolean): (response: CachedResponse | null) => void {
    const { promise, resolve } = Promise.withResolvers<CachedResponse | null>();
    this.#underWay.set(key, promise);
    return (response) => {
      if (this.#underWay.get(key) === promise) this.#underWay.delete(key);
      if (response && isShared && this.shared) void this.shared.set(key, JSON.stringify(response), ttlSeconds);
      else if (response) this.#entries.set(key, response, { ttl: ttlSeconds * 1000 });
      resolve(response);
    };
  }

  /** From now on responses take at most so many bytes. */
  limit(maxBytes: number): void {
    if (maxBytes === this.#maxBytes) return;
    this.#maxBytes = maxBytes;
    this.#entries = makeEntries(maxBytes);
  }
}

const makeEntries = (maxSize: number): LRUCache<string, CachedResponse> =>
  new LRUCache({ maxSize, sizeCalculation: ({ text }, key) => 2 * (text.length + key.length) + OVERHEAD_BYTES });

/** What Redis has of a response; null: it is none of this release. */
function readEntry(text: string): CachedResponse | null {
  const entry = recordOf(parseJson(text));
  const usage = recordOf(entry?.usage);
  if (!entry || !usage || typeof entry.text !== "string" || typeof entry.contentType !== "string") return null;
  if (typeof entry.storedAt !== "number" || typeof usage.promptTokens !== "number") return null;
  const { text: answer, contentType, storedAt } = entry;
  // It was encrypted by a process of this site, so it has the members that `begin` wrote.
  return {
    text: answer,
    contentType,
    storedAt,
    usage: usage as Usage,
    isStream: entry.isStream === true,
    withUsage: entry.withUsage === true,
  };
}
