import { type BodyLength, BrokenAnswer } from "./response-head.ts";

const LF = 10;
const CR = 13;
const SEMICOLON = 59;
const SPACE = 32;
/** Longest line between chunks. */
const MAX_LINE_BYTES = 16 * 1024;
const MAX_CHUNK_BYTES = 2 ** 40;

type State = "size" | "extension" | "data" | "data-end" | "trailer" | "done";

/** Cuts one body out of the bytes of a connection, wherever the network cuts these (RFC 9112, sections 6 and 7.1). */
export class BodyDecoder {
  readonly #isChunked: boolean;
  readonly #isOpen: boolean;
  #state: State;
  /** Bytes that still belong to the body, or to the present chunk. */
  #left: number;
  #lineBytes = 0;
  #digits = 0;
  /** More came than the body: whatever it is, nobody asked for it. */
  surplus = false;

  constructor(length: BodyLength) {
    this.#isChunked = length === "chunked";
    this.#isOpen = length === "until-close";
    this.#left = typeof length === "number" ? length : 0;
    this.#state = this.#isChunked ? "size" : length === 0 ? "done" : "data";
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /** The connection has ended: whether the body is complete. */
  get isCompleteAtClose(): boolean {
    return this.done || this.#isOpen;
  }

  /** What of the bytes is body; they are overwritten. Throws BrokenAnswer. */
  take(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#isChunked) return this.#takeChunks(bytes);
    if (this.#isOpen) return bytes;
    if (bytes.length > this.#left) this.surplus = true;
    const body = this.surplus ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= body.length;
    if (this.#left === 0) this.#state = "done";
    return body;
  }

  /** The data of all chunks is moved together, so that what came at once is handed on at once. */
  #takeChunks(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let filled = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        if (filled !== at) bytes.copyWithin(filled, at, end);
        filled += end - at;
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = "data-end";
      } else if (this.#state === "done") {
        this.surplus = true;
        break;
      } else {
        this.#between(bytes[at] as number);
        at += 1;
      }
    }
    return bytes.subarray(0, filled);
  }

  /** One byte of what stands between the chunks' data. */
  #between(byte: number): void {
    const ends = byte === LF;
    if (byte === CR) return;
    switch (this.#state) {
      case "size":
        if (ends) this.#sizeEnds();
        // Some servers fill the number up with blanks.
        else if (byte === SEMICOLON || byte === SPACE) this.#state = "extension";
        else this.#digit(byte);
        break;
      case "extension":
        if (ends) this.#sizeEnds();
        else this.#longer();
        break;
      case "data-end":
        if (!ends) throw new BrokenAnswer("a chunk is longer than it said");
        this.#begin("size");
        break;
      default:
        if (ends) this.#begin(this.#lineBytes === 0 ? "done" : "trailer");
        else this.#longer();
    }
  }

  #begin(state: State): void {
    this.#state = state;
    this.#left = 0;
    this.#lineBytes = 0;
    this.#digits = 0;
  }

  #sizeEnds(): void {
    if (this.#digits === 0) throw new BrokenAnswer("a chunk does not say how long it is");
    const size = this.#left;
    this.#begin(size === 0 ? "trailer" : "data");
    this.#left = size;
  }

  #digit(byte: number): void {
    const digit = hexDigit(byte);
    this.#left = this.#left * 16 + digit;
    this.#digits += 1;
    if (digit < 0 || this.#left > MAX_CHUNK_BYTES) throw new BrokenAnswer("a chunk does not say how long it is");
    this.#longer();
  }

  #longer(): void {
    this.#lineBytes += 1;
    if (this.#lineBytes > MAX_LINE_BYTES) throw new BrokenAnswer("a line between chunks has no end");
  }
}

/** Value of an ASCII hexadecimal digit; -1: it is none. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 0x20;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
