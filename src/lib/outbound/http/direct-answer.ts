import type { AnswerHeaders, ResponseHead } from "./response-head.ts";

/** What a reader of bytes got: everything that was there, and whether that was the end. */
export type ReadBytes<Memory extends ArrayBufferLike = ArrayBufferLike> = {
  value: Uint8Array<Memory>[];
  done: boolean;
};

/** Reads a body as it comes; the runtime's own readers are such ones too. */
export type ByteReader = {
  /** At once where something has come already. Rejects when the body breaks off. */
  readMany(): ReadBytes | Promise<ReadBytes>;
  read(): Promise<{ value?: Uint8Array | undefined; done: boolean }>;
};

/** The connection as an answer sees it. */
export type BodySource = {
  pause(): void;
  resume(): void;
  /** Nobody wants the rest. */
  abandon(): void;
};

/** So much may wait to be read before the sender is held back. */
const HOLD_AT_BYTES = 256 * 1024;

const utf8 = new TextDecoder();

/** An answer whose body is read straight from its connection; what of the runtime's Response the relay uses. */
export class DirectAnswer implements ByteReader {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: AnswerHeaders;
  readonly #source: BodySource;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  #held = false;
  /** Reads to the end: nothing is to be held back. */
  #gathers = false;
  #ended = false;
  #failure: Error | null = null;
  /** Whoever waits for something to come. */
  #reader: PromiseWithResolvers<ReadBytes<ArrayBuffer>> | null = null;

  constructor({ status, headers }: ResponseHead, source: BodySource) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = headers;
    this.#source = source;
  }

  /** Takes a part of the body; called by the connection. */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > HOLD_AT_BYTES && !this.#held && !this.#gathers) {
      this.#held = true;
      this.#source.pause();
    }
    this.#wakeUp();
  }

  /** The body is complete, or broke off; called by the connection. */
  end(failure: Error | null = null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wakeUp();
  }

  readMany(): ReadBytes<ArrayBuffer> | Promise<ReadBytes<ArrayBuffer>> {
    if (this.#waiting.length > 0 || this.#ended) return this.#taken();
    this.#reader ??= Promise.withResolvers();
    return this.#reader.promise;
  }

  async read(): Promise<{ value?: Uint8Array<ArrayBuffer> | undefined; done: boolean }> {
    const { value, done } = await this.readMany();
    if (value.length === 0) return { done };
    // Its end is told by the next read.
    return { value: value.length === 1 ? (value[0] as Uint8Array<ArrayBuffer>) : Buffer.concat(value), done: false };
  }

  /** The body as the runtime's streams have it. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        const { value, done } = await this.read();
        if (value) controller.enqueue(value);
        if (done) controller.close();
      },
      cancel: () => this.#source.abandon(),
    });
  }

  /** All of the body; at once where it is complete. Throws or rejects when it breaks off. */
  bytes(): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    if (this.#ended && this.#failure === null && this.#waiting.length === 1) {
      return this.#taken().value[0] as Uint8Array<ArrayBuffer>;
    }
    return this.#gathered();
  }

  async text(): Promise<string> {
    return utf8.decode(await this.bytes());
  }

  async #gathered(): Promise<Uint8Array<ArrayBuffer>> {
    this.#gathers = true;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (;;) {
      const read = this.readMany();
      const { value, done } = read instanceof Promise ? await read : read;
      for (const part of value) parts.push(part);
      if (done) return parts.length === 1 ? (parts[0] as Uint8Array<ArrayBuffer>) : Buffer.concat(parts);
    }
  }

  #taken(): ReadBytes<ArrayBuffer> {
    const value = this.#waiting;
    if (value.length === 0 && this.#failure) throw this.#failure;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#held) {
      this.#held = false;
      this.#source.resume();
    }
    return { value, done: this.#ended && this.#failure === null };
  }

  #wakeUp(): void {
    const reader = this.#reader;
    if (!reader) return;
    this.#reader = null;
    if (this.#waiting.length === 0 && this.#failure) reader.reject(this.#failure);
    else reader.resolve(this.#taken());
  }
}
