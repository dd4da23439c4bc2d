import { openRedis, type RedisConnection } from "../../../lib/redis/open-redis.ts";

const CONNECT_WITHIN_MS = 3000;
const ANSWER_WITHIN_MS = 5000;

/** Where Redis is, and a key: in a cluster the link reaches the node that has it. */
type Target = Readonly<{ url: string; key: string }>;

/** One connection to Redis or Valkey that is replaced by whoever uses it when it fails: it never reconnects by itself. */
export class RedisLink {
  readonly #client: RedisConnection;
  #isClosed = false;

  /** `onClose` is called once, when the connection ends for any reason but `close`. */
  constructor({ url, key }: Target, onClose: (reason: Error) => void = () => {}) {
    this.#client = openRedis(url, {
      ...{ connectWithinMs: CONNECT_WITHIN_MS, reconnects: false, key },
      onClose: (error) => {
        if (this.#isClosed) return;
        this.close();
        onClose(error);
      },
    });
  }

  /** Rejects when nobody answers in time. */
  async connect(): Promise<void> {
    await within(this.#client.connect(), CONNECT_WITHIN_MS);
  }

  /** Sends a command at once, behind those that still wait for their answer. */
  send(command: string, args: string[]): Promise<unknown> {
    return this.#client.send(command, args);
  }

  /** The same; rejects when there is no answer within 5 s. */
  ask(command: string, ...args: string[]): Promise<unknown> {
    return within(this.send(command, args), ANSWER_WITHIN_MS);
  }

  /** What still waits for an answer is rejected. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#client.close();
  }
}

async function within<Value>(answer: Promise<Value>, limitMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`Redis did not answer within ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
