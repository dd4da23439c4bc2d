import type { Logger } from "../runtime/log.ts";
import { openRedis } from "./open-redis.ts";

/** Texts that replicas share for some time. Neither call rejects, and neither takes long. */
export type SharedTexts = Readonly<{
  /** Null: there is none, or Redis is away. */
  get(key: string): Promise<string | null>;
  set(key: string, text: string, ttlSeconds: number): Promise<void>;
  close(): void;
}>;

const CONNECT_MS = 1000;
const ANSWER_MS = 250;
const PREFIX = "sluice:text:";
/** How often an outage is logged. */
const LOG_EVERY_MS = 60_000;

/** Encrypts what is stored; `decrypt` throws for a text of another key. */
type Cipher = Readonly<{ encrypt(text: string): string; decrypt(cipher: string): string }>;

/** Keeps texts in Redis, encrypted with the site's key. Connects with the first call. */
export function createSharedTexts(url: string, cipher: Cipher, log: Logger): SharedTexts {
  const redis = openRedis(url, { connectWithinMs: CONNECT_MS, reconnects: true });
  let loggedAt = Number.NEGATIVE_INFINITY;
  let connecting: Promise<void> | null = null;
  const ask = async (command: string, args: string[]): Promise<unknown> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("Redis does not answer")), ANSWER_MS);
    try {
      connecting ??= redis.connect();
      await Promise.race([connecting, promise]);
      return await Promise.race([redis.send(command, args), promise]);
    } catch (error) {
      connecting = null;
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
        return cipher.decrypt(text);
      } catch {
        // Of a site with another key, or changed.
        return null;
      }
    },
    async set(key, text, ttlSeconds) {
      await ask("SET", [PREFIX + key, cipher.encrypt(text), "EX", String(ttlSeconds)]);
    },
    close: () => redis.close(),
  };
}
