import { ReasonedError } from "../reason.ts";
import { openRedis } from "../redis/open-redis.ts";
import type { Logger } from "../runtime/log.ts";
import { createRateLimiter, type Limit, type RateLimiter } from "./rate-limiter.ts";
import { SLICES, type Slice, waitSeconds } from "./sliding-count.ts";

/** Counts shared by replicas; the same as RateLimiter, but it has to ask. */
type SharedRateLimiter = {
  /** Counts one request; 0 when it is allowed, else the seconds until the next one may be. Never rejects. */
  take(key: string): Promise<number>;
  /** The same answer without counting. */
  check(key: string): Promise<number>;
  /** Counts so many without asking; never rejects. */
  add(key: string, amount: number): Promise<void>;
  /** Counts one less, for a request that was counted within the window and does not count after all. Never rejects. */
  giveBack(key: string): Promise<void>;
  /** Resets the key's count; never rejects. */
  forget(key: string): Promise<void>;
};

/** Counts in this process, or where replicas count together. */
export type Limiter = RateLimiter | SharedRateLimiter;

/** A place to count in for several processes: Redis or Valkey, or memory that this host's workers share. */
export type SharedLimits = Readonly<{
  /** A limiter whose counts all replicas share under `name`. */
  limiter(name: string, limit: Limit): Limiter;
  /** False while it is away: each process then counts for itself. */
  isAnswering(): boolean;
  /** Milliseconds until it answers; rejects with why it does not, within a few seconds. Null: there is no Redis. */
  ping: (() => Promise<number>) | null;
  close(): void;
}>;

const TIMEOUT_MS = 250;
const PING_TIMEOUT_MS = 3000;
/** So long it is left alone after a failure: a slow Redis must not slow every call down. */
const REST_MS = 5000;

/**
 * Counts ARGV[3] requests under KEYS[1] at once or not at all; with ARGV[4] = 1 even when the limit ARGV[1] is reached.
 * ARGV[2]: the window in milliseconds. The time is the server's, the same for all processes, unless ARGV[5] gives another.
 * Answers the time in milliseconds, then slice and count in turn, as they were before.
 */
const SCRIPT = `
local time = tonumber(ARGV[5])
if time == 0 then
  local clock = redis.call('TIME')
  time = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local window = tonumber(ARGV[2])
local index = math.floor(time / (window / ${SLICES}))
local stored = redis.call('HGETALL', KEYS[1])
local total = 0
local answer = {string.format('%.0f', time)}
for i = 1, #stored, 2 do
  if tonumber(stored[i]) < index - ${SLICES} then
    redis.call('HDEL', KEYS[1], stored[i])
  else
    total = total + tonumber(stored[i + 1])
    answer[#answer + 1] = stored[i]
    answer[#answer + 1] = stored[i + 1]
  end
end
if ARGV[3] ~= '0' and (total < tonumber(ARGV[1]) or ARGV[4] == '1') then
  redis.call('HINCRBY', KEYS[1], string.format('%.0f', index), ARGV[3])
  redis.call('PEXPIRE', KEYS[1], 2 * window)
end
return answer`;

/** Counts one less under KEYS[1], in the oldest slice that is still in the window of ARGV[1] ms (`SlidingCount.takeBack`). */
const GIVE_BACK = `
local time = tonumber(ARGV[2])
if time == 0 then
  local clock = redis.call('TIME')
  time = clock[1] * 1000 + math.floor(clock[2] / 1000)
end
local first = math.floor(time / (tonumber(ARGV[1]) / ${SLICES})) - ${SLICES}
local stored = redis.call('HGETALL', KEYS[1])
local oldest = nil
for i = 1, #stored, 2 do
  local index = tonumber(stored[i])
  if index >= first and tonumber(stored[i + 1]) > 0 and (oldest == nil or index < tonumber(oldest)) then
    oldest = stored[i]
  end
end
if oldest ~= nil then redis.call('HINCRBY', KEYS[1], oldest, -1) end
return 1`;

/** A limiter whose counts replicas share under `name`, where there is a place for it. */
export const createLimiter = (shared: SharedLimits | null, name: string, limit: Limit): Limiter =>
  shared ? shared.limiter(name, limit) : createRateLimiter(limit);

/** How much a question counts, and whether past the limit too. */
type Count = Readonly<{ amount: number; always: boolean }>;

/** `now`: paces the rests; `clock`: counts by this time instead of the server's. Both are epoch milliseconds. */
type Options = Readonly<{ now?: () => number; clock?: () => number; timeoutMs?: number }>;

/** Connects when it is first needed. Where Redis fails or takes longer than 250 ms, limits fall back to this process. */
export function createSharedLimits(
  url: string,
  log: Logger,
  { now = Date.now, clock, timeoutMs = TIMEOUT_MS }: Options = {},
): SharedLimits {
  const redis = openRedis(url, { connectWithinMs: timeoutMs, reconnects: true });
  let restUntil = 0;

  /** Null without an answer. */
  const send = async (command: string, parameters: string[]): Promise<unknown> => {
    if (now() < restUntil) return null;
    try {
      const requested = redis.send(command, parameters);
      requested.catch(() => {});
      const answer: unknown = await Promise.race([requested, Bun.sleep(timeoutMs)]);
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

  const keyOf = (name: string, key: string, { windowMs }: Limit): string => `sluice:limit:${name}:${windowMs}:${key}`;

  const ask = async (name: string, key: string, limit: Limit, { amount, always }: Count): Promise<number | null> => {
    const numbers = [limit.count, limit.windowMs, amount, always ? 1 : 0, clock?.() ?? 0].map(String);
    const answer = await send("EVAL", [SCRIPT, "1", keyOf(name, key, limit), ...numbers]);
    if (!Array.isArray(answer)) return null;
    const [time, ...counted] = answer.map(Number);
    const slices: Slice[] = [];
    for (let at = 0; at < counted.length; at += 2)
      slices.push({ index: counted[at] ?? 0, count: counted[at + 1] ?? 0 });
    slices.sort((a, b) => a.index - b.index);
    return waitSeconds(limit, slices, time ?? 0);
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
        async giveBack(key) {
          const numbers = [limit.windowMs, clock?.() ?? 0].map(String);
          if ((await send("EVAL", [GIVE_BACK, "1", keyOf(name, key, limit), ...numbers])) === null) local.giveBack(key);
        },
        async forget(key) {
          local.forget(key);
          await send("DEL", [keyOf(name, key, limit)]);
        },
      };
    },
    isAnswering: () => restUntil === 0,
    async ping() {
      const start = performance.now();
      const requested = redis.send("PING", []);
      requested.catch(() => {});
      const late = Bun.sleep(PING_TIMEOUT_MS).then(() => {
        throw new ReasonedError({ code: "why_late", params: { seconds: PING_TIMEOUT_MS / 1000 } });
      });
      await Promise.race([requested, late]);
      return performance.now() - start;
    },
    close: () => redis.close(),
  };
}
