import { wholeEventsLength } from "../../lib/http/sse.ts";

const EMPTY = Buffer.alloc(0);
/** The empty line that ends an event, all but its last byte: it may be cut anywhere. */
const MAX_CUT_END_BYTES = 3;

/** Cuts whole events out of the chunks of a stream. Every byte is looked at and copied a few times at most. */
export class EventBuffer {
  /** The beginning of an event whose end has not come, as it came. */
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Size of the event that is still coming. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  /** The whole events among everything that has come and was not returned before. */
  push(bytes: Uint8Array): Uint8Array {
    const last = this.#chunks.at(-1);
    const joint = last ? Buffer.concat([last.subarray(-MAX_CUT_END_BYTES), bytes]) : bytes;
    if (wholeEventsLength(joint) === 0) {
      this.#chunks.push(bytes);
      this.#bytes += bytes.length;
      return EMPTY;
    }
    const all = last ? Buffer.concat([...this.#chunks, bytes]) : bytes;
    const length = wholeEventsLength(all);
    this.#chunks = length === all.length ? [] : [all.subarray(length)];
    this.#bytes = all.length - length;
    return length === all.length ? all : all.subarray(0, length);
  }

  /** What has come of an event without its end; empty afterwards. */
  takePending(): Uint8Array {
    const pending = this.#chunks.length === 1 ? (this.#chunks[0] ?? EMPTY) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    return pending;
  }
}
