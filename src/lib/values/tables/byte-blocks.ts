import { closeSync, mkdirSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

export const BLOCK_BYTES = 1024 * 1024;
/** Read at once: rows that are asked for one after another mostly stand next to each other. */
const WINDOW_BYTES = 4096;

/** So much of the disk is left to others: charges must find room on it. */
const LEFT_FREE_BYTES = 1024 * BLOCK_BYTES;

/** What leaves memory without being closed gives its file back. */
const closing = new FinalizationRegistry((descriptor: number) => closeSync(descriptor));

/**
 * Bytes at places from 0 on, of which only the last block stays in memory where a `folder` is given: the others go to a file there
 * that has no name, so it ends with the process. What the folder does not take stays in memory too.
 */
export class ByteBlocks {
  /** null: in the file. */
  readonly #blocks: (Buffer | null)[] = [];
  #descriptor: number | null = null;
  readonly #window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  /** Where in the file the window was read; −1: nowhere. */
  #windowAt = -1;

  constructor(private readonly folder: string | null) {}

  /** Where bytes can be added in one piece, up to a block of them, if those before end at `end`. */
  placeFor(size: number, end: number): number {
    const last = this.#blocks.length * BLOCK_BYTES;
    if (end + size <= last) return end;
    this.#blocks.push(this.#spill() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
    return last;
  }

  /** Bytes that were written in one piece; to be used before anything else is read. */
  read(place: number, size: number): Buffer {
    const block = this.#blocks[Math.floor(place / BLOCK_BYTES)];
    const start = place % BLOCK_BYTES;
    if (block) return block.subarray(start, start + size);
    const windowAt = place - (place % WINDOW_BYTES);
    const within = place - windowAt;
    if (within + size > WINDOW_BYTES) return this.#fromFile(Buffer.allocUnsafe(size), place);
    if (this.#windowAt !== windowAt) {
      this.#windowAt = -1;
      this.#fromFile(this.#window, windowAt);
      this.#windowAt = windowAt;
    }
    return this.#window.subarray(within, within + size);
  }

  /** Writes at a place that `placeFor` has named. */
  write(place: number, bytes: Buffer): void {
    const index = Math.floor(place / BLOCK_BYTES);
    const block = this.#blocks[index];
    if (block) bytes.copy(block, place % BLOCK_BYTES);
    else if (!this.#toFile(bytes, place)) {
      const loaded = this.#fromFile(Buffer.allocUnsafeSlow(BLOCK_BYTES), index * BLOCK_BYTES);
      bytes.copy(loaded, place % BLOCK_BYTES);
      this.#blocks[index] = loaded;
    }
    this.#windowAt = -1;
  }

  /** Writes the last block to the file and answers its memory; null: it stays there. */
  #spill(): Buffer | null {
    const index = this.#blocks.length - 1;
    const last = this.#blocks[index];
    if (!last || !this.#hasRoom() || !this.#toFile(last, index * BLOCK_BYTES)) return null;
    this.#blocks[index] = null;
    return last;
  }

  #hasRoom(): boolean {
    if (this.folder === null) return false;
    try {
      mkdirSync(this.folder, { recursive: true });
      const { bavail, bsize } = statfsSync(this.folder);
      return bavail * bsize > LEFT_FREE_BYTES;
    } catch {
      return false;
    }
  }

  /** Answers whether the disk has taken the bytes. */
  #toFile(bytes: Buffer, place: number): boolean {
    try {
      this.#descriptor ??= this.#open();
      return this.#descriptor !== null && writeSync(this.#descriptor, bytes, 0, bytes.length, place) === bytes.length;
    } catch {
      // Full or read-only: memory has to do.
      return false;
    }
  }

  #open(): number | null {
    // Windows keeps the name of an open file.
    if (this.folder === null || process.platform === "win32") return null;
    const path = join(this.folder, `.rows-${Bun.randomUUIDv7()}`);
    const descriptor = openSync(path, "wx+", 0o600);
    closing.register(this, descriptor);
    unlinkSync(path);
    return descriptor;
  }

  #fromFile(into: Buffer, place: number): Buffer {
    const read = this.#descriptor === null ? 0 : readSync(this.#descriptor, into, 0, into.length, place);
    if (read < into.length) throw new Error(`rows of a table are missing at ${place}`);
    return into;
  }
}
