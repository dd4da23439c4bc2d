import { RedisClient } from "bun";
import type { Logger } from "./log.ts";
import { createRateLimiter, type Limit, type RateLimiter, waitSeconds } from "./rate-limiter.ts";
import { ReasonedError } from "./reason.ts";

/** Counts shared by replicas; the same as RateLimiter, but it has to ask. */
type SharedRateLimiter = {
  /** Counts one request; 0 when it is allowed, else the seconds until the next one may be. Never rejects. */
  take(key: string): Promise<number>;
  /** The same answer without counting. */
  check(key: string): Promise<number>;
  /** Counts so many without asking; never rejects. */
  add(key: string, amount: number): Promise<void>;
  /** Starts the key's count anew; never rejects. */
  forget(key: string): Promise<void>;
};

/** Counts in this process, or where replicas count together. */
export type Limiter = RateLimiter | SharedRateLimiter;

/** Redis or Valkey as a place to count in. */
export type SharedLimits = Readonly<{
  /** A limiter whose counts all replicas share under `name`. */
  limiter(name: string, limit: Limit): SharedRateLimiter;
  /** False while it is away: each process then counts for itself. */
  isAnswering(): boolean;
  /** Milliseconds until it answers. Rejects with why it does not, within a few seconds. */
  ping(): Promise<number>;
  close(): void;
}>;

const TIMEOUT_MS = 250;
const PING_TIMEOUT_MS = 3000;
/** So long it is left alone after a failure: a slow Redis must not slow every call down. */
const REST_MS = 5000;

/**
 * Counts ARGV[3], with ARGV[5] = 1 even when the limit is reached. Answers this window's count before it, and the last
 * one's.
 */
const SCRIPT = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
local before = tonumber(redis.call('GET', KEYS[2]) or '0')
local room = count + before * (1 - tonumber(ARGV[2])) <= tonumber(ARGV[1]) - 1
if ARGV[3] ~= '0' and (room or ARGV[5] == '1') then
  redis.call('INCRBY', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return {count, before}`;

/** A limiter whose counts replicas share under `name`, where there is a place for it. */
export const createLimiter = (shared: SharedLimits | null, name: string, limit: Limit): Limiter =>
  shared ? shared.limiter(name, limit) : createRateLimiter(limit);

/** How much a question counts, and whether past the limit too. */
type Count = Readonly<{ amount: number; always: boolean }>;

type Options = Readonly<{ now?: () => number; timeoutMs?: number }>;

/** Connects when it is first needed. Where Redis fails or takes longer than 250 ms, limits fall back to this process. */
export function createSharedLimits(
  url: string,
  log: Logger,
  { now = Date.now, timeoutMs = TIMEOUT_MS }: Options = {},
): SharedLimits {
  const redis = new RedisClient(url, { connectionTimeout: timeoutMs, enableOfflineQueue: true, autoReconnect: true });
  let restUntil = 0;

  /** Null without an answer. */
  const send = async (command: string, parameters: string[]): Promise<unknown> => {
    if (now() < restUntil) return null;
    try {
      const asked = redis.send(command, parameters);
      asked.catch(() => {});
      const answer: unknown = await Promise.race([asked, Bun.sleep(timeoutMs)]);
      if (answer == null) throw new Error("no answer in time");
      if (restUntil > 0) log.info("redis answers again: limits are shared");
      restUntil = 0;
      return answer;
    } catch (error) {
      if (restUntil === 0) log.warn({ error }, "redis does not answer: limits are counted by each process");
      restUntil = now() + REST_MS;
      return null;
    }
  };

  /** Where this window and the one before it are counted. */
  const placesOf = (name: string, key: string, { windowMs }: Limit, time: number): string[] => {
    const index = Math.floor(time / windowMs);
    return [index, index - 1].map((window) => `sluice:limit:${name}:${windowMs}:${key}:${window}`);
  };

  const ask = async (name: string, key: string, limit: Limit, { amount, always }: Count): Promise<number | null> => {
    const time = now();
    const elapsed = (time % limit.windowMs) / limit.windowMs;
    const numbers = [limit.count, elapsed, amount, 2 * limit.windowMs, always ? 1 : 0].map(String);
    const answer = await send("EVAL", [SCRIPT, "2", ...placesOf(name, key, limit, time), ...numbers]);
    if (!Array.isArray(answer)) return null;
    return waitSeconds(limit, { count: Number(answer[0]), before: Number(answer[1]) }, time);
  };
  return {
    limiter(name, limit) {
      const local = createRateLimiter(limit);
      return {
        take: async (key) => (await ask(name, key, limit, { amount: 1, always: false })) ?? local.take(key),
        check: async (key) => (await ask(name, key, limit, { amount: 0, always: false })) ?? local.check(key),
        async add(key, amount) {
          if ((await ask(name, key, limit, { amount, always: true })) === null) local.add(key, amount);
        },
        async forget(key) {
          local.forget(key);
          await send("DEL", placesOf(name, key, limit, now()));
        },
      };
    },
    isAnswering: () => restUntil === 0,
    async ping() {
      const start = performance.now();
      const asked = redis.send("PING", []);
      asked.catch(() => {});
      const late = Bun.sleep(PING_TIMEOUT_MS).then(() => {
        throw new ReasonedError({ code: "why_late", params: { seconds: PING_TIMEOUT_MS / 1000 } });
      });
      await Promise.race([asked, late]);
      return performance.now() - start;
    },
    close: () => redis.close(),
  };
}
