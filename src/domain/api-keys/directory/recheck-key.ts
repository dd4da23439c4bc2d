import { LRUCache } from "lru-cache";
import { createRateLimiter } from "../../../lib/limits/rate-limiter.ts";

/** What was found out about a key is believed so long. */
const BELIEVED_MS = 1000;
const MAX_REMEMBERED = 10_000;
/** A client waits for the answer. */
const TIMEOUT_MS = 3000;
/** Whoever tries out random keys must not reach the database with each. */
const PER_ADDRESS = { count: 100, windowMs: 10_000 };
const ALL = { count: 500, windowMs: 10_000 };

type Parts = Readonly<{
  /** What keys are told apart by in memory: never the key itself. */
  hash: (key: string) => string;
  /** Reads the key, and its owner, from the database into memory. */
  reread: (key: string) => Promise<void>;
  timeoutMs?: number;
  now?: () => number;
}>;

/**
 * Asks the database about an API key that memory refuses: another replica may have created, enabled or filled it a moment
 * ago. Resolves true when memory is now as the database was; false when the same key was asked about within a second, or when so
 * many were that no more are looked up (100 in 10 s for an address, 500 for all). Rejects when the database does not answer.
 */
export type RecheckKey = (key: string, address: string) => Promise<boolean>;

/** Creates the check for a process that others share the database with. */
export function createRecheckKey({ hash, reread, timeoutMs = TIMEOUT_MS, now = Date.now }: Parts): RecheckKey {
  const perAddress = createRateLimiter(PER_ADDRESS, { now });
  const all = createRateLimiter(ALL, { now });
  /** When each key was last asked about, and what failed then. */
  const answers = new LRUCache<string, Readonly<{ at: number; failure: unknown }>>({ max: MAX_REMEMBERED });
  const running = new Map<string, Promise<boolean>>();

  const remember = (id: string, failure: unknown) => answers.set(id, { at: now(), failure });
  const ask = async (id: string, key: string): Promise<boolean> => {
    try {
      await within(timeoutMs, reread(key));
      remember(id, null);
      return true;
    } catch (error) {
      remember(id, error ?? new Error("the database does not answer"));
      throw error;
    } finally {
      running.delete(id);
    }
  };

  return (key, address) => {
    const id = hash(key);
    const underWay = running.get(id);
    if (underWay) return underWay;
    const last = answers.get(id);
    if (last && now() - last.at < BELIEVED_MS) {
      return last.failure === null ? Promise.resolve(false) : Promise.reject(last.failure);
    }
    if (perAddress.take(address) > 0 || all.take("") > 0) return Promise.resolve(false);
    const recheck = ask(id, key);
    running.set(id, recheck);
    return recheck;
  };
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
