import { createRateLimiter } from "../../../lib/limits/rate-limiter.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/** For how long a key that doesn't exist, or a database that fails, is not asked about again. */
const BELIEVED_MS = 1000;
const MAX_REMEMBERED = 10_000;
/** A client waits for the answer. */
const TIMEOUT_MS = 3000;
/** Whoever tries out random keys must not reach the database with each. */
const PER_ADDRESS = { count: 100, windowMs: 10_000 };
const ALL = { count: 500, windowMs: 10_000 };
/** Nor may clients that go on calling with a key that is used up. */
const PER_KNOWN_KEY = { count: 100, windowMs: 10_000 };

type Parts = Readonly<{
  /** What identifies keys in memory: never the key itself. */
  hash: (key: string) => string;
  /** Whether memory has the key, so that its caller doesn't guess. */
  isKnown: (key: string) => boolean;
  /** Keys are still being read into memory: whoever comes first has not guessed. By default they are not. */
  isLoading?: () => boolean;
  /** Reads the key, and its owner, from the database into memory. */
  reread: (key: string) => Promise<void>;
  timeoutMs?: number;
  now?: () => number;
}>;

/**
 * Asks the database about an API key that memory refuses: another replica may have created, enabled or filled it a moment
 * ago. Resolves true when memory is now as the database was after this call. False when an unknown key was asked about within a
 * second, or when so many were that no more are looked up (unknown keys: 100 in 10 s for an address, 500 for all; a known one:
 * 100 in 10 s). While keys are loaded there is no such limit. Rejects when the database does not answer.
 */
export type RecheckKey = (key: string, address: string) => Promise<boolean>;

/** Creates the check for a process that others share the database with. */
export function createRecheckKey({
  hash,
  isKnown,
  isLoading = () => false,
  reread,
  timeoutMs = TIMEOUT_MS,
  now = Date.now,
}: Parts): RecheckKey {
  const perAddress = createRateLimiter(PER_ADDRESS, { now });
  const all = createRateLimiter(ALL, { now });
  const perKnownKey = createRateLimiter(PER_KNOWN_KEY, { now });
  /** When each key was last asked about in vain, and what failed then. */
  const answers = recentEntries<string, Readonly<{ at: number; failure: unknown }>>(MAX_REMEMBERED);
  const running = new Map<string, Promise<boolean>>();
  const waiting = new Map<string, Promise<boolean>>();

  const read = async (id: string, key: string): Promise<boolean> => {
    let failure: unknown = null;
    try {
      await within(timeoutMs, reread(key));
      return true;
    } catch (error) {
      failure = error ?? new Error("the database does not answer");
      throw failure;
    } finally {
      if (failure !== null || !isKnown(key)) answers.set(id, { at: now(), failure });
      running.delete(id);
    }
  };
  const start = (id: string, key: string): Promise<boolean> => {
    const started = read(id, key);
    running.set(id, started);
    return started;
  };
  /** A key may have been filled after the read under way began, so those who come meanwhile share the next one. */
  const startAfter = async (before: Promise<boolean>, id: string, key: string): Promise<boolean> => {
    await before.catch(() => false);
    waiting.delete(id);
    return start(id, key);
  };

  return (key, address) => {
    const id = hash(key);
    const known = isKnown(key);
    const underWay = known ? waiting.get(id) : running.get(id);
    if (underWay) return underWay;
    const last = answers.get(id);
    if (last && now() - last.at < BELIEVED_MS && (last.failure !== null || !known)) {
      return last.failure === null ? Promise.resolve(false) : Promise.reject(last.failure);
    }
    const isTooOften = () => (known ? perKnownKey.take(id) > 0 : perAddress.take(address) > 0 || all.take("") > 0);
    if (!isLoading() && isTooOften()) return Promise.resolve(false);
    const before = running.get(id);
    if (!before) return start(id, key);
    const next = startAfter(before, id, key);
    waiting.set(id, next);
    return next;
  };
}

async function within(timeoutMs: number, work: Promise<void>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => timeout.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  await Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
