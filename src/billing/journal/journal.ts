import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Logger } from "../../lib/runtime/log.ts";
import { beforeEndOfTurn, endOfTurn } from "../../lib/runtime/tick.ts";
import { OwnSegment, readLines, type SegmentLine, segmentName } from "./segments/segment.ts";

const SEGMENT_BYTES = 8 * 1024 * 1024;
const SYNC_INTERVAL_MS = 1000;
/** As much as some records take. */
const TRIAL_BYTES = 64 * 1024;
/** How long an append waits before it tries a file again that refused (disk full). */
const FILE_RETRY_MS = 1000;
/** While the disk refuses, a call waits so long for another place to take its charge. */
const WAIT_MS = 5000;
const LOOK_MS = 10;
/** No further call is taken once a charge has been in memory alone for so long. */
const REFUSE_AFTER_MS = 1000;

/** Notified of what is appended, before anybody who waits for it continues, and of what has left. `last`: the number of the last record. */
export type JournalObserver = Readonly<{
  appended(texts: readonly string[], last: number): void;
  committed(last: number): void;
}>;

/** Who takes records while the disk refuses them. */
export type OtherPlaces = Readonly<{
  /** The number of the last record that another place has confirmed. */
  copied?: (() => number) | null;
  /** Brings records into the database at once. */
  hurry(): void;
}>;

/** Where the records of a process begin that are not in the database: a segment's file name, and the bytes before it. */
export type WrittenUpTo = Readonly<{ process: string; segment: string; offset: number }>;

/** A place in the journal: behind record number `index`. The rest is the journal's own. */
export type JournalCursor = { index: number; segment?: OwnSegment; offset?: number };

/**
 * The append-only record of charges that are not yet in the database. What is appended in one turn of the event loop is
 * written at its end, at once, so that it survives the death of the process, and once a second the file is synced to disk.
 * Records leave in the order they came. While the disk refuses, they wait in memory, and calls wait until another place has
 * taken them: no charge may live in this process's memory alone.
 */
export class Journal {
  /** Oldest first; the last one is written. */
  #segments: OwnSegment[] = [];
  #nextNumber = 1;
  /** Records appended since the start; changed only here. */
  appendedRecords = 0;
  /** Records of these that are in the database; changed only here. */
  committedRecords = 0;
  /** Appended in this turn. */
  #coming: string[] = [];
  #stranded: string[] = [];
  /** The last read gave records out of memory; they must stay where they are until they are committed. */
  #readStranded = false;
  #retryFileAt = 0;
  #isRefused = false;
  /** The number of the last record up to which all are in a file, or in the database; changed only here. */
  filedRecords = 0;
  #observer: JournalObserver | null = null;
  /** How many of those in `#coming` the observer has received. */
  #observed = 0;
  /** Resolves when what was appended in this turn survives the process; null: nothing was. */
  #turn: Promise<void> | null = null;
  /** Since when a record has been in memory alone (`performance.now`); null: none is. */
  #exposedSince: number | null = null;
  /** Set once, before the first record. */
  others: OtherPlaces | null = null;
  readonly #syncTimer: Timer;

  /** Begins in an empty `directory`. Throws when it can't be written. */
  constructor(
    private readonly directory: string,
    private readonly log: Logger,
  ) {
    this.#openSegment();
    this.#syncTimer = setInterval(() => {
      if (this.#isRefused) this.#tryDisk();
      for (const segment of this.#segments) segment.sync(log);
    }, SYNC_INTERVAL_MS);
    this.#syncTimer.unref();
  }

  get pendingRecords(): number {
    return this.appendedRecords - this.committedRecords;
  }

  /** Where the first record stands, or will stand, that is not in the database; what is in memory only follows. */
  get writtenUpTo(): Omit<WrittenUpTo, "process"> {
    const { path, position } = this.#segments.find(({ left }) => left > 0) ?? (this.#segments.at(-1) as OwnSegment);
    return { segment: basename(path), offset: position.offset };
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { left }) => sum + left, 0);
  }

  /** False while the disk refuses records. */
  get onDisk(): boolean {
    return !this.#isRefused;
  }

  /** A charge has been in memory alone for too long: nothing takes it, so no further call is to be taken. */
  get isExposed(): boolean {
    if (this.#exposedSince === null) return false;
    if (!this.#isSafe(this.appendedRecords)) return performance.now() - this.#exposedSince > REFUSE_AFTER_MS;
    this.#exposedSince = null;
    return false;
  }

  /** Calls a subscriber with every record from now on. */
  observe(observer: JournalObserver): void {
    this.write();
    this.#observer = observer;
  }

  /**
   * Keeps one record. Resolves when it survives the process: when this turn of the event loop is over, or, while the disk refuses,
   * once another place has it, after a few seconds in any case.
   */
  append(text: string): Promise<void> {
    this.appendedRecords++;
    if (this.#coming.push(text) === 1 && this.#observer) beforeEndOfTurn(() => this.#notifyObserver());
    this.#turn ??= this.#endTurn();
    return this.#turn;
  }

  async #endTurn(): Promise<void> {
    await endOfTurn();
    this.#turn = null;
    this.write();
    if (this.filedRecords < this.appendedRecords) await this.#untilSafe(this.appendedRecords);
  }

  /** Writes what was appended in this turn now; on return it survives the process. Never throws. */
  write(): void {
    if (this.#observer) this.#notifyObserver();
    this.#observed = 0;
    let texts = this.#coming;
    this.#coming = [];
    while (texts.length > 0 && this.#stranded.length === 0) {
      const count = this.#write(texts);
      if (count === 0) break;
      texts = texts.slice(count);
    }
    if (texts.length === 0) return;
    for (const text of texts) this.#stranded.push(text);
    this.#rescue();
  }

  /** The oldest records that are not committed, in order. */
  read(mostRecords: number, mostBytes: number): SegmentLine[] {
    this.write();
    this.#dropDone();
    const segment = this.#segments[0] as OwnSegment;
    this.#readStranded = segment.left === 0;
    if (!this.#readStranded) return segment.read(mostRecords, mostBytes);
    return this.#stranded.slice(0, mostRecords).map((text) => ({ text, end: 0 }));
  }

  /**
   * The records behind a cursor that are not in the database, in order, and moves the cursor behind them. None: it is at the
   * end. (Damaged ones are passed over.)
   */
  readAfter(cursor: JournalCursor, mostRecords: number, mostBytes: number): string[] {
    this.write();
    cursor.index = Math.max(cursor.index, this.committedRecords);
    const segment = this.#segments.find(({ last }) => last > cursor.index);
    if (!segment) {
      const texts = this.#stranded.slice(
        cursor.index - this.filedRecords,
        cursor.index - this.filedRecords + mostRecords,
      );
      cursor.index += texts.length;
      return texts;
    }
    const { offset, index } = segment.position;
    const isKnown = segment === cursor.segment && cursor.offset !== undefined && cursor.offset >= offset;
    let from = isKnown ? (cursor.offset ?? offset) : offset;
    // What lies between the first that waits and the cursor is read, and left out.
    for (let at = isKnown ? cursor.index : index; at < cursor.index; ) {
      const skipped = readLines(segment.path, from, cursor.index - at, mostBytes);
      if (skipped.length === 0) break;
      at += skipped.length;
      from = skipped.at(-1)?.end ?? from;
    }
    const lines = readLines(segment.path, from, mostRecords, mostBytes);
    cursor.segment = segment;
    cursor.offset = lines.at(-1)?.end ?? from;
    cursor.index = lines.length > 0 ? cursor.index + lines.length : segment.last;
    const texts = lines.map(({ text }) => text).filter((text) => text !== null);
    return texts.length > 0 ? texts : this.readAfter(cursor, mostRecords, mostBytes);
  }

  /** The record that waits longest, without reading it away; null: none waits. */
  oldest(): string | null {
    this.write();
    const waiting = this.#segments.find(({ left }) => left > 0);
    return waiting?.read(1, 1)[0]?.text ?? this.#stranded[0] ?? null;
  }

  /** These lines, the first of those last read, are in the database: forgets them. */
  commit(lines: readonly SegmentLine[]): void {
    this.committedRecords += lines.length;
    this.#observer?.committed(this.committedRecords);
    if (this.#readStranded) {
      this.#commitStranded(lines.length);
      return;
    }
    const segment = this.#segments[0] as OwnSegment;
    segment.commit(lines);
    if (this.#segments.length === 1 && segment.bytes - segment.left >= SEGMENT_BYTES / 2) this.#openNext();
    this.#dropDone();
  }

  /** Stops writing. */
  close(): void {
    this.write();
    clearInterval(this.#syncTimer);
    for (const segment of this.#segments) segment.close();
  }

  /** Records that were read from memory: the first of them may have been written to a file since. */
  #commitStranded(count: number): void {
    let left = count;
    for (const segment of this.#segments) left -= segment.commitFirst(left);
    this.#stranded.splice(0, left);
    this.filedRecords += left;
    this.#dropDone();
  }

  /** Writes as many of the first texts as one write takes; returns how many: 0 when the disk refuses. */
  #write(texts: readonly string[]): number {
    try {
      const last = this.#segments.at(-1) as OwnSegment;
      // Records that left from memory are in no segment, and numbers in one have no gaps.
      const isOver = last.bytes >= SEGMENT_BYTES || last.last !== this.filedRecords;
      const count = (isOver ? this.#openSegment() : last).append(texts);
      this.filedRecords += count;
      return count;
    } catch (error) {
      // Once until it is written again.
      if (!this.#isRefused) this.log.error({ error }, "the journal can't be written: charges go elsewhere at once");
      this.#isRefused = true;
      this.#retryFileAt = performance.now() + FILE_RETRY_MS;
      return 0;
    }
  }

  #notifyObserver(): void {
    const texts = this.#observed === 0 ? this.#coming : this.#coming.slice(this.#observed);
    this.#observed = this.#coming.length;
    if (texts.length > 0) this.#observer?.appended(texts, this.appendedRecords);
  }

  /** Moves records from memory to the file as far as it takes them. */
  #rescue(): void {
    if (performance.now() < this.#retryFileAt) return;
    while (this.#stranded.length > 0) {
      const count = this.#write(this.#stranded);
      if (count === 0) return;
      this.#stranded.splice(0, count);
    }
    if (this.#isRefused) this.log.info("the journal can be written again");
    this.#isRefused = false;
  }

  #isSafe(number: number): boolean {
    return Math.max(this.filedRecords, this.others?.copied?.() ?? 0) >= number;
  }

  /** Waits until another place has the record of this number, or the disk takes it after all. */
  async #untilSafe(number: number): Promise<void> {
    if (this.#isSafe(number)) return;
    this.#exposedSince ??= performance.now();
    this.others?.hurry();
    for (const until = performance.now() + WAIT_MS; performance.now() < until; ) {
      await Bun.sleep(LOOK_MS);
      if (this.#isSafe(number)) return;
    }
  }

  /** Looks whether the disk takes records again; those in memory are the trial, where there are any. */
  #tryDisk(): void {
    const trial = join(this.directory, ".trial");
    try {
      if (this.#stranded.length === 0) writeFileSync(trial, Buffer.alloc(TRIAL_BYTES));
      this.#rescue();
    } catch {
      // It refuses still.
    } finally {
      rmSync(trial, { force: true });
    }
  }

  /** Begins a segment before the last one is full; on a disk that refuses it, later. */
  #openNext(): void {
    try {
      this.#openSegment();
    } catch {
      // The next append says so.
    }
  }

  /** Two segments at most are remembered: the one that leaves and the one that comes. */
  #openSegment(): OwnSegment {
    const remembers = this.#segments.filter((segment) => segment.remembers).length < 2;
    const segment = new OwnSegment(join(this.directory, segmentName(this.#nextNumber)), remembers, this.filedRecords);
    this.#nextNumber++;
    this.#segments.push(segment);
    return segment;
  }

  /** Deletes the segments that are in the database, but not the one being written. */
  #dropDone(): void {
    while (this.#segments.length > 1 && this.#segments[0]?.left === 0) this.#segments.shift()?.drop();
  }
}
