import { ReasonedError } from "../reason.ts";
import { openRedis } from "../redis/open-redis.ts";
import type { Logger } from "../runtime/log.ts";
import { CarriedCounts, type Catchup, type Doubt } from "./carried-counts.ts";
import type { HostSlots } from "./host-slots.ts";
import { createRateLimiter, type Limit, type RateLimiter } from "./rate-limiter.ts";
import { COUNT, GIVE_BACK } from "./redis-scripts.ts";
import { SLICES, type Slice, waitSeconds } from "./sliding-count.ts";
import { createRedisSlots } from "./slots.ts";

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
  /** Where all processes count what is under way at the same time; absent: no further than this host. */
  slots?: HostSlots;
  /** False while it is away: each process then goes on from the last count that it knows, with its part of what that leaves. */
  isAnswering(): boolean;
  /** Milliseconds until it answers; rejects with why it does not, within a few seconds. Null: there is no Redis. */
  ping: (() => Promise<number>) | null;
  close(): void;
}>;

const TIMEOUT_MS = 250;
const PING_TIMEOUT_MS = 3000;
/** So long after it answers again each process still decides by itself: others may not have sent what they counted. */
const SETTLING_MS = 5000;
/** How often one that is away is tried, at most, and how many requests may be under way to it. */
const RETRY_MS = 250;
const MOST_UNDER_WAY = 64;
/** What nothing has come of by then is sent again. */
const GIVE_UP_MS = 10_000;
/** Stands for an answer that has not come in time. */
const LATE = Symbol("late");

/** A limiter whose counts replicas share under `name`, where there is a place for it. */
export const createLimiter = (shared: SharedLimits | null, name: string, limit: Limit): Limiter =>
  shared ? shared.limiter(name, limit) : createRateLimiter(limit);

/** How much a question counts, and whether past the limit too. */
type Count = Readonly<{ amount: number; always: boolean }>;
const NOTHING: Count = { amount: 0, always: false };

/**
 * `now`: paces what follows an outage; `clock`: counts by this time instead of the server's. Both are epoch milliseconds.
 * `replicas`: processes that count together, this one included.
 */
type Options = Readonly<{ now?: () => number; clock?: () => number; timeoutMs?: number; replicas?: () => number }>;

/**
 * Connects when it is first needed. Where Redis fails or takes longer than 250 ms, each process goes on from the last count that
 * it knows and admits its part of what is left, without waiting; what it counts it sends to Redis in the background, from the
 * moment on that Redis takes it.
 */
export function createSharedLimits(
  url: string,
  log: Logger,
  { now = Date.now, clock, timeoutMs = TIMEOUT_MS, replicas = () => 1 }: Options = {},
): SharedLimits {
  const redis = openRedis(url, { connectWithinMs: timeoutMs, reconnects: true });
  let isAway = false;
  /** Until then this process decides by itself, though Redis answers. */
  let settlingUntil = 0;
  let nextTryAt = 0;
  let underWay = 0;
  /** What the server's clock is ahead of ours, milliseconds. */
  let aheadMs = 0;
  const flushes: (() => void)[] = [];
  const sharedNow = (): number => clock?.() ?? Date.now() + aheadMs;
  const isShared = (): boolean => !isAway && now() >= settlingUntil;

  const answered = () => {
    if (!isAway) return;
    isAway = false;
    settlingUntil = now() + SETTLING_MS;
    log.info("redis answers again: limits are shared");
    for (const flush of flushes) flush();
  };
  const failed = (error: unknown) => {
    if (!isAway) log.warn({ error }, "redis does not answer: each process admits its part of what limits leave");
    isAway = true;
    nextTryAt = now() + RETRY_MS;
  };

  /**
   * Resolves with null without an answer, and with LATE without one in time: `onEnd` then gets the answer that comes afterwards, or
   * null. Never rejects.
   */
  const send = async (command: string, parameters: string[], onEnd?: (answer: unknown) => void): Promise<unknown> => {
    let isLate = false;
    underWay += 1;
    const end = (answer: unknown) => {
      underWay -= 1;
      if (isLate) onEnd?.(answer);
    };
    try {
      const requested = redis.send(command, parameters);
      requested.then(end, () => end(null));
      const answer: unknown = await Promise.race([requested, Bun.sleep(timeoutMs).then(() => LATE)]);
      if (answer === LATE) {
        isLate = true;
        failed(new Error("no answer in time"));
      } else answered();
      return answer;
    } catch (error) {
      failed(error);
      return null;
    }
  };
  const mayTry = (): boolean => underWay < MOST_UNDER_WAY && (!isAway || now() >= nextTryAt);

  const keyOf = (name: string, key: string, { windowMs }: Limit): string => `sluice:limit:${name}:${windowMs}:${key}`;

  const countersOf = (name: string, limit: Limit) => {
    const carried = new CarriedCounts(limit, sharedNow, () => Math.max(1, replicas()));

    /** Takes an answer in; returns the seconds to wait, and whether the request was counted. Null: it is no answer. */
    const learn = (key: string, answer: unknown, { amount, always }: Count) => {
      const read = readAnswer(answer);
      if (!read) return null;
      if (!clock) aheadMs = read.time - Date.now();
      const wait = waitSeconds(limit, read.slices, read.time);
      const isCounted = amount > 0 && (always || wait === 0);
      const index = Math.floor(read.time / (limit.windowMs / SLICES));
      carried.learn(key, isCounted ? withAdded(read.slices, index, amount) : read.slices, isShared());
      return { wait, isCounted };
    };
    const evaluate = (key: string, count: Count, catchup: Catchup | null, onEnd: (answer: unknown) => void) => {
      const numbers = [limit.count, limit.windowMs, count.amount, count.always ? 1 : 0, clock?.() ?? 0];
      const pairs = [catchup?.shared.length ?? 0, ...pairsOf(catchup?.shared), ...pairsOf(catchup?.unsent)];
      return send("EVAL", [COUNT, "1", keyOf(name, key, limit), ...[...numbers, ...pairs].map(String)], onEnd);
    };
    /** Sends what was counted here, and learns what others have; nobody waits for it. */
    const sync = async (key: string): Promise<void> => {
      const catchup = mayTry() ? carried.beginSync(key) : null;
      if (!catchup) return;
      let isOver = false;
      const end = (answer: unknown) => {
        if (isOver) return;
        isOver = true;
        carried.endSync(key, catchup, learn(key, answer, NOTHING) !== null);
      };
      const answer = await evaluate(key, NOTHING, catchup, end);
      if (answer === LATE) setTimeout(end, GIVE_UP_MS, null).unref();
      else end(answer);
    };
    flushes.push(() => {
      for (const key of carried.unsentKeys) void sync(key);
    });
    /**
     * Seconds to wait by the shared count; else this process decides by itself: null, or the doubt whether the shared count has
     * counted the request.
     */
    const ask = async (key: string, count: Count): Promise<number | Doubt | null> => {
      if (!isShared()) {
        void sync(key);
        return null;
      }
      const doubt: Doubt = { amount: 0 };
      const answer = await evaluate(key, count, null, (late) => {
        if (!learn(key, late, count)?.isCounted) carried.addUnsent(key, doubt.amount);
      });
      return answer === LATE ? doubt : (learn(key, answer, count)?.wait ?? null);
    };
    return { carried, ask, sync };
  };
  return {
    limiter(name, limit) {
      const { carried, ask, sync } = countersOf(name, limit);
      return {
        async take(key) {
          const decided = await ask(key, { amount: 1, always: false });
          return typeof decided === "number" ? decided : carried.take(key, decided);
        },
        async check(key) {
          const decided = await ask(key, NOTHING);
          return typeof decided === "number" ? decided : carried.check(key);
        },
        async add(key, amount) {
          const decided = await ask(key, { amount, always: true });
          if (typeof decided !== "number") carried.add(key, amount, decided);
        },
        async giveBack(key) {
          const numbers = [limit.windowMs, clock?.() ?? 0].map(String);
          const parameters = [GIVE_BACK, "1", keyOf(name, key, limit), ...numbers];
          if (isShared() && (await send("EVAL", parameters)) !== null) return;
          carried.giveBack(key);
          void sync(key);
        },
        async forget(key) {
          carried.forget(key);
          if (mayTry()) await send("DEL", [keyOf(name, key, limit)]);
        },
      };
    },
    slots: createRedisSlots((command, parameters) => (mayTry() ? send(command, parameters) : Promise.resolve(null))),
    isAnswering: () => !isAway,
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

/** What the server answered: its time, and the slices as they were before the request. Null: it is no such answer. */
function readAnswer(answer: unknown): { time: number; slices: Slice[] } | null {
  if (!Array.isArray(answer)) return null;
  const [time = 0, ...counted] = answer.map(Number);
  const slices: Slice[] = [];
  for (let at = 0; at < counted.length; at += 2) slices.push({ index: counted[at] ?? 0, count: counted[at + 1] ?? 0 });
  return { time, slices: slices.sort((a, b) => a.index - b.index) };
}

const pairsOf = (slices: readonly Slice[] = []): number[] => slices.flatMap(({ index, count }) => [index, count]);

function withAdded(slices: readonly Slice[], index: number, amount: number): Slice[] {
  const others = slices.filter((slice) => slice.index !== index);
  const before = slices.find((slice) => slice.index === index)?.count ?? 0;
  return [...others, { index, count: before + amount }];
}
