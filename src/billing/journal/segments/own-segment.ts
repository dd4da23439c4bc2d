import { closeSync, fdatasync, ftruncateSync, openSync, unlinkSync, writeSync } from "node:fs";
import type { Logger } from "../../../lib/runtime/log.ts";
import { linesOf, readLines, type SegmentLine } from "./segment.ts";

/** A segment this process writes: its file, and how far it is in the database. */
export class OwnSegment {
  readonly #file: number;
  #bytes = 0;
  /** Offset up to which everything is in the database. */
  #done = 0;
  /** What is left, in memory too, so that it need not be read back; null: too much is remembered elsewhere. */
  readonly #lines: SegmentLine[] | null;
  #unsynced = false;
  #records = 0;
  #doneRecords = 0;

  /** Makes the file at `path`; `base`: the number of the last record before its first. Throws when it can't. */
  constructor(
    readonly path: string,
    remembers: boolean,
    readonly base = 0,
  ) {
    this.#file = openSync(path, "a");
    this.#lines = remembers ? [] : null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that are not in the database yet. */
  get left(): number {
    return this.#bytes - this.#done;
  }

  /** The number of the last record in it, counted from the journal's beginning. */
  get last(): number {
    return this.base + this.#records;
  }

  /** Where the first record begins that is not in the database, and the number of the one before it. */
  get position(): Readonly<{ offset: number; index: number }> {
    return { offset: this.#done, index: this.base + this.#doneRecords };
  }

  get remembers(): boolean {
    return this.#lines !== null;
  }

  /** Writes records; on return they survive the process. Throws, and leaves no part of them, when the disk refuses. */
  append(texts: readonly string[]): void {
    const { bytes, ends } = linesOf(texts);
    let written = 0;
    try {
      written = writeSync(this.#file, bytes);
      if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    } catch (error) {
      ftruncateSync(this.#file, this.#bytes);
      throw error;
    }
    if (this.#lines) {
      for (const [index, text] of texts.entries()) {
        this.#lines.push({ text, end: this.#bytes + (ends[index] as number) });
      }
    }
    this.#bytes += bytes.length;
    this.#records += texts.length;
    this.#unsynced = true;
  }

  /** The oldest lines that are not committed. */
  read(mostRecords: number, mostBytes: number): SegmentLine[] {
    if (!this.#lines) return readLines(this.path, this.#done, mostRecords, mostBytes);
    const lines: SegmentLine[] = [];
    for (const line of this.#lines) {
      if (lines.length === mostRecords) break;
      lines.push(line);
      if (line.end - this.#done >= mostBytes) break;
    }
    return lines;
  }

  /** These lines, the first of those last read, are in the database. */
  commit(lines: readonly SegmentLine[]): void {
    this.#done = lines.at(-1)?.end ?? this.#done;
    this.#doneRecords += lines.length;
    this.#lines?.splice(0, lines.length);
  }

  /** Brings the file to the disk, in the background; what is in the database already need not be. */
  sync(log: Logger): void {
    if (!this.#unsynced || this.left === 0) return;
    this.#unsynced = false;
    fdatasync(this.#file, (error) => {
      // A segment that was dropped meanwhile is in the database.
      if (error && error.code !== "EBADF") log.error({ error }, "the journal can't be synced to disk");
    });
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Closes and deletes the file. */
  drop(): void {
    this.close();
    unlinkSync(this.path);
  }
}
