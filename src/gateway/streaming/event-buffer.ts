import { completeEventsLength } from "../../lib/http/sse.ts";

const EMPTY = Buffer.alloc(0);
/** The longest incomplete event separator: it may be split anywhere. */
const MAX_CUT_END_BYTES = 3;

/** Splits the chunks of a stream into complete events. Every byte is inspected and copied a few times at most. */
export class EventBuffer {
  /** The chunks of an event that is still incomplete. */
  #chunks: Uint8Array[] = [];
  /** Bytes of the incomplete event; changed only here. */
  pendingBytes = 0;

  /** Adds bytes; returns the complete events that were not returned before. */
  push(bytes: Uint8Array): Uint8Array {
    const last = this.#chunks.at(-1);
    const joint = last ? Buffer.concat([last.subarray(-MAX_CUT_END_BYTES), bytes]) : bytes;
    if (completeEventsLength(joint) === 0) {
      this.#chunks.push(bytes);
      this.pendingBytes += bytes.length;
      return EMPTY;
    }
    const all = last ? Buffer.concat([...this.#chunks, bytes]) : bytes;
    const length = completeEventsLength(all);
    this.#chunks = length === all.length ? [] : [all.subarray(length)];
    this.pendingBytes = all.length - length;
    return length === all.length ? all : all.subarray(0, length);
  }

  /** Returns and clears the incomplete event. */
  takePending(): Uint8Array {
    const pending = this.#chunks.length === 1 ? (this.#chunks[0] ?? EMPTY) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.pendingBytes = 0;
    return pending;
  }
}
