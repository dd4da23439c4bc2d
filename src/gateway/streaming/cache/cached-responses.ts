import { LRUCache } from "lru-cache";
import type { SharedTexts } from "../../../lib/redis/shared-texts.ts";
import type { RecordedResponse } from "../../call/recording.ts";
import { entryText, readEntry } from "./entry-text.ts";

/** A response in the cache. */
export type CachedResponse = RecordedResponse &
  Readonly<{
    contentType: string;
    isStream: boolean;
    /** The stream has a chunk with its usage, for clients of chat completions that ask for it. */
    withUsage: boolean;
    /** Epoch seconds. */
    storedAt: number;
    /** Epoch seconds. */
    expiresAt: number;
  }>;

/** What a call looks for, and how its response is kept. */
export type Lookup = Readonly<{
  key: string;
  ttlSeconds: number;
  /** Also of other replicas. */
  isShared: boolean;
  isFresh: (response: CachedResponse) => boolean;
}>;

/** What a call finds: a response, or its turn to bring one; neither: it looks for what is there alone. */
export type Found = Readonly<{ response: CachedResponse | null; turn: Turn | null }>;

/** The turn of a call to bring the response for which equal ones wait. Ends once; later ends have no effect. */
export type Turn = Readonly<{
  /** Its response is kept, and what waits gets it. */
  keep(response: CachedResponse): void;
  /** It brought nothing that is kept. `hasLeft`: its client left, so one of those that wait takes the turn. */
  drop(hasLeft: boolean): void;
}>;

/** How long a call waits for equal ones at most; then it is made, too. */
const MOST_WAIT_MS = 60_000;
/** So long others wait for a process that no longer says that it is at work. */
const LEASE_MS = 5000;
/** Between two looks at what another process does. */
const [SHORTEST_LOOK_MS, LONGEST_LOOK_MS] = [20, 250];

/** What an entry takes besides its text and key. */
const OVERHEAD_BYTES = 500;

/** The client of the call that had the turn left. */
const LEFT = Symbol("left");
type Shared = Omit<SharedTexts, "close">;
type Result = CachedResponse | typeof LEFT | null;

/** The responses that this process has, and the calls whose responses are on their way. */
export class CachedResponses {
  #maxBytes = 1;
  #entries = makeEntries(1);
  readonly #underWay = new Map<string, Promise<Result>>();

  /** `shared`: where replicas share responses; null: each process has its own. */
  constructor(private readonly shared: Shared | null) {}

  /** The response of an earlier call or of one under way, for which it waits; else the turn to bring it. */
  async find(lookup: Lookup): Promise<Found> {
    const until = performance.now() + MOST_WAIT_MS;
    for (;;) {
      const own = this.#entries.get(lookup.key);
      if (own && lookup.isFresh(own)) return { response: own, turn: null };
      const running = this.#underWay.get(lookup.key);
      // Nothing is awaited between this and the turn, so that one call of all gets it.
      if (!running) return this.#lead(lookup, until);
      const result = await within(running, until);
      if (result === LEFT) continue;
      if (result && lookup.isFresh(result)) return { response: result, turn: null };
      return { response: null, turn: this.begin(lookup) };
    }
  }

  /** The response of an earlier call alone. */
  async peek(lookup: Lookup): Promise<Found> {
    const own = this.#entries.get(lookup.key);
    if (own && lookup.isFresh(own)) return { response: own, turn: null };
    return { response: await this.#readShared(lookup), turn: null };
  }

  /** The turn to bring a response, whatever there is: equal calls wait from now on. */
  begin(lookup: Lookup): Turn {
    return this.#announce(lookup).turn;
  }

  /** From now on responses take at most so many bytes. */
  limit(maxBytes: number): void {
    if (maxBytes === this.#maxBytes) return;
    this.#maxBytes = maxBytes;
    this.#entries = makeEntries(maxBytes);
  }

  /** Asks the other processes: one call of all has the turn. */
  async #lead(lookup: Lookup, until: number): Promise<Found> {
    const { turn, end, hold } = this.#announce(lookup);
    const { shared } = this;
    if (!lookup.isShared || !shared) return { response: null, turn };
    const response = await this.#findShared(shared, lookup, until, hold);
    if (!response) return { response: null, turn };
    end(response);
    return { response, turn: null };
  }

  async #findShared(
    shared: Shared,
    lookup: Lookup,
    until: number,
    hold: () => Promise<boolean | null>,
  ): Promise<CachedResponse | null> {
    const found = await this.#readShared(lookup);
    if (found) return found;
    // Between the two it may have come.
    if ((await hold()) !== false) return await this.#readShared(lookup);
    for (
      let pauseMs = SHORTEST_LOOK_MS;
      performance.now() < until;
      pauseMs = Math.min(pauseMs * 1.5, LONGEST_LOOK_MS)
    ) {
      await Bun.sleep(pauseMs);
      if (!(await shared.isClaimed(lookup.key))) break;
    }
    const brought = await this.#readShared(lookup);
    if (!brought) await hold();
    return brought;
  }

  async #readShared({ key, isShared, isFresh }: Lookup): Promise<CachedResponse | null> {
    const text = isShared && this.shared ? await this.shared.get(key) : null;
    const found = text === null ? null : readEntry(text);
    return found && isFresh(found) ? found : null;
  }

  #announce({ key, ttlSeconds, isShared }: Lookup) {
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.#underWay.set(key, promise);
    const shared = isShared ? this.shared : null;
    const owner = shared ? Bun.randomUUIDv7() : "";
    let renewal: Timer | null = null;
    let hasEnded = false;
    /** Takes the turn among the processes, and keeps it until its end. */
    const hold = async () => {
      const isOurs = (await shared?.claim(key, owner, LEASE_MS)) ?? null;
      if (isOurs && !hasEnded) {
        renewal ??= setInterval(() => void shared?.claim(key, owner, LEASE_MS), LEASE_MS / 3).unref();
      }
      return isOurs;
    };
    const end = (result: Result) => {
      if (hasEnded) return false;
      hasEnded = true;
      if (this.#underWay.get(key) === promise) this.#underWay.delete(key);
      resolve(result);
      if (renewal) clearInterval(renewal);
      return true;
    };
    const turn: Turn = {
      keep: (response) => {
        if (!end(response)) return;
        if (!shared) this.#entries.set(key, response, { ttl: ttlSeconds * 1000 });
        // Others look for it as soon as the turn is given back.
        else void shared.set(key, entryText(response), ttlSeconds).then(() => shared.release(key, owner));
      },
      drop: (hasLeft) => {
        if (end(hasLeft ? LEFT : null) && renewal) void shared?.release(key, owner);
      },
    };
    return { turn, end, hold };
  }
}

/** What a promise brings until a time (`performance.now()`); null: nothing. */
async function within(running: Promise<Result>, until: number): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, Math.max(0, until - performance.now()), null);
  const result = await Promise.race([running, promise]);
  clearTimeout(timer);
  return result;
}

const makeEntries = (maxSize: number): LRUCache<string, CachedResponse> =>
  new LRUCache({ maxSize, sizeCalculation: ({ text }, key) => 2 * (text.length + key.length) + OVERHEAD_BYTES });
