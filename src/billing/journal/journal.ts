import { closeSync, fdatasync, ftruncateSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../lib/log.ts";
import { lineOf } from "./line.ts";
import { readLines, type SegmentLine, segmentName } from "./segment.ts";

const SEGMENT_BYTES = 8 * 1024 * 1024;
const SYNC_INTERVAL_MS = 1000;
/** How long an append waits before it tries a file again that refused (disk full). */
const FILE_RETRY_MS = 1000;

type Segment = { path: string; bytes: number };

/**
 * The append-only record of charges that are not yet in the database. Appending is one synchronous write, so that it
 * survives the death of the process, and once a second the file is synced to disk. Records leave in the order they came.
 * While the disk refuses, records wait in memory.
 */
export class Journal {
  #segments: Segment[] = [];
  #nextNumber = 1;
  #file = -1;
  /** Offset in the first segment up to which everything is in the database. */
  #done = 0;
  #appended = 0;
  #committed = 0;
  #stranded: string[] = [];
  /** The last read gave records out of memory; they must stay where they are until they are committed. */
  #readStranded = false;
  #retryFileAt = 0;
  #unsynced = false;
  readonly #syncTimer: Timer;

  /** Begins in an empty `directory`. Throws when it can't be written. */
  constructor(
    private readonly directory: string,
    private readonly log: Logger,
  ) {
    this.#openSegment();
    this.#syncTimer = setInterval(() => this.#sync(), SYNC_INTERVAL_MS);
    this.#syncTimer.unref();
  }

  get pendingRecords(): number {
    return this.#appended - this.#committed;
  }

  get appendedRecords(): number {
    return this.#appended;
  }

  get committedRecords(): number {
    return this.#committed;
  }

  get bytes(): number {
    return this.#segments.reduce((sum, segment) => sum + segment.bytes, 0) - this.#done;
  }

  /** False while the disk refuses and records are kept in memory only. */
  get onDisk(): boolean {
    return this.#stranded.length === 0;
  }

  /** Keeps one record; on return it survives the process. Never throws. */
  append(text: string): void {
    this.#appended++;
    if (this.#stranded.length > 0) {
      this.#stranded.push(text);
      this.#rescue();
    } else if (!this.#write(text)) {
      this.#stranded.push(text);
    }
  }

  /** The oldest records that are not committed, in order. */
  read(mostRecords: number, mostBytes: number): SegmentLine[] {
    this.#dropDone();
    const segment = this.#segments[0] as Segment;
    this.#readStranded = this.#done >= segment.bytes;
    if (!this.#readStranded) return readLines(segment.path, this.#done, mostRecords, mostBytes);
    return this.#stranded.slice(0, mostRecords).map((text) => ({ text, end: 0 }));
  }

  /** These lines, the first of those last read, are in the database: forgets them. */
  commit(lines: readonly SegmentLine[]): void {
    this.#committed += lines.length;
    if (this.#readStranded) {
      this.#stranded.splice(0, lines.length);
      return;
    }
    this.#done = lines.at(-1)?.end ?? this.#done;
    if (this.#segments.length === 1 && this.#done >= SEGMENT_BYTES / 8) this.#openSegment();
    this.#dropDone();
  }

  /** Stops writing. */
  close(): void {
    clearInterval(this.#syncTimer);
    closeSync(this.#file);
    this.#file = -1;
  }

  #write(text: string): boolean {
    let segment = this.#segments.at(-1) as Segment;
    try {
      if (segment.bytes >= SEGMENT_BYTES) segment = this.#openSegment();
      const line = lineOf(text);
      const written = writeSync(this.#file, line);
      if (written < line.length) throw new Error(`only ${written} of ${line.length} bytes were written`);
      segment.bytes += line.length;
      this.#unsynced = true;
      return true;
    } catch (error) {
      this.log.error({ error }, "the journal can't be written: charges are kept in memory");
      this.#retryFileAt = performance.now() + FILE_RETRY_MS;
      this.#cutTail(segment);
      return false;
    }
  }

  /** Removes what a failed write may have left behind the last whole line. */
  #cutTail(segment: Segment): void {
    try {
      ftruncateSync(this.#file, segment.bytes);
    } catch (error) {
      this.log.error({ error }, "the journal's tail can't be cut");
    }
  }

  /** Moves records from memory to the file as far as it takes them. */
  #rescue(): void {
    if (this.#readStranded || performance.now() < this.#retryFileAt) return;
    while (this.#stranded.length > 0 && this.#write(this.#stranded[0] as string)) this.#stranded.shift();
  }

  #openSegment(): Segment {
    const segment = { path: join(this.directory, segmentName(this.#nextNumber)), bytes: 0 };
    const file = openSync(segment.path, "a");
    const full = this.#file;
    if (full >= 0) fdatasync(full, () => closeSync(full));
    this.#file = file;
    this.#nextNumber++;
    this.#segments.push(segment);
    return segment;
  }

  /** Deletes the segments that are in the database, but not the one being written. */
  #dropDone(): void {
    while (this.#segments.length > 1 && this.#done >= (this.#segments[0] as Segment).bytes) {
      unlinkSync((this.#segments[0] as Segment).path);
      this.#segments.shift();
      this.#done = 0;
    }
  }

  #sync(): void {
    if (!this.#unsynced) return;
    this.#unsynced = false;
    fdatasync(this.#file, (error) => {
      // A segment that was closed meanwhile was synced then.
      if (error && error.code !== "EBADF") this.log.error({ error }, "the journal can't be synced to disk");
    });
  }
}
