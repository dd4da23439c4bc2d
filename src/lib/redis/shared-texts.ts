import type { Logger } from "../runtime/log.ts";
import { openRedis } from "./open-redis.ts";

/** Texts that replicas share for some time, and turns to make them. No call rejects, and none takes long. */
export type SharedTexts = Readonly<{
  /** Null: there is none, or Redis is away. */
  get(key: string): Promise<string | null>;
  set(key: string, text: string, ttlSeconds: number): Promise<void>;
  /** Takes the turn to make a text for so long, or keeps it; false: another process has it; null: Redis is away. */
  claim(key: string, owner: string, ttlMs: number): Promise<boolean | null>;
  /** Gives the turn back; after it has ended, it may be another's. */
  release(key: string, owner: string): Promise<void>;
  /** Whether a process has the turn; false too where Redis is away. */
  isClaimed(key: string): Promise<boolean>;
  close(): void;
}>;

const CONNECT_MS = 1000;
const ANSWER_MS = 250;
/** How long nobody waits for Redis after it did not answer. */
const PAUSE_MS = 2000;
const PREFIX = "sluice:text:";
const TURN_PREFIX = "sluice:turn:";
/** How often an outage is logged. */
const LOG_EVERY_MS = 60_000;

/** One process has a turn at a time; who has it keeps it. */
const CLAIM = `if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Encrypts what is stored; `decrypt` throws for a text of another key. */
type Cipher = Readonly<{ encrypt(text: string): string; decrypt(cipher: string): string }>;

/**
 * Keeps texts in Redis, encrypted with the site's key together with their own keys: one that somebody moves to another key, cuts or
 * changes is none. Connects with the first call.
 */
export function createSharedTexts(url: string, cipher: Cipher, log: Logger): SharedTexts {
  const redis = openRedis(url, { connectWithinMs: CONNECT_MS, reconnects: true });
  let loggedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let connecting: Promise<void> | null = null;
  const ask = async (command: string, args: string[]): Promise<unknown> => {
    if (performance.now() < pausedUntil) return null;
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("Redis does not answer")), ANSWER_MS);
    try {
      connecting ??= redis.connect();
      await Promise.race([connecting, promise]);
      return await Promise.race([redis.send(command, args), promise]);
    } catch (error) {
      connecting = null;
      pausedUntil = performance.now() + PAUSE_MS;
      if (performance.now() - loggedAt > LOG_EVERY_MS) {
        loggedAt = performance.now();
        log.warn({ error }, "texts that replicas share are not available");
      }
      return null;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    async get(key) {
      const text = await ask("GET", [PREFIX + key]);
      if (typeof text !== "string") return null;
      try {
        const [owner, content] = splitOnce(cipher.decrypt(text));
        return owner === key ? content : null;
      } catch {
        // Of a site with another key, or changed.
        return null;
      }
    },
    async set(key, text, ttlSeconds) {
      await ask("SET", [PREFIX + key, cipher.encrypt(`${key}\n${text}`), "EX", String(ttlSeconds)]);
    },
    async claim(key, owner, ttlMs) {
      const answer = await ask("EVAL", [CLAIM, "1", TURN_PREFIX + key, owner, String(ttlMs)]);
      return typeof answer === "number" ? answer === 1 : null;
    },
    async release(key, owner) {
      await ask("EVAL", [RELEASE, "1", TURN_PREFIX + key, owner]);
    },
    isClaimed: async (key) => (await ask("EXISTS", [TURN_PREFIX + key])) === 1,
    close: () => redis.close(),
  };
}

const splitOnce = (text: string): [string, string] => {
  const at = text.indexOf("\n");
  return [text.slice(0, at), text.slice(at + 1)];
};
