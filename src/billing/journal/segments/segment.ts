import { closeSync, fdatasync, ftruncateSync, openSync, readFileSync, readSync, unlinkSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Logger } from "../../../lib/runtime/log.ts";

const SUFFIX = ".jsonl";
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A line that is not what was written: its bytes, where they stood, and what is wrong with them. */
type DamagedLine = Readonly<{ raw: Buffer; file: string; offset: number; reason: string }>;

/** One line of a segment; `end` is the byte offset behind it. A damaged one has no text. */
export type SegmentLine =
  | Readonly<{ text: string; end: number }>
  | Readonly<{ text: null; end: number; damage: DamagedLine }>;

const WRONG_CHECKSUM = "the line is damaged: its checksum does not match";
const INCOMPLETE = "the line is incomplete: the process or the machine died while writing it";

/** File name of the segment with this number. */
export const segmentName = (number: number): string => `${String(number).padStart(8, "0")}${SUFFIX}`;

/** Paths of a directory's segments, oldest first. */
export async function segmentPaths(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((name) => join(directory, name));
}

/**
 * Reads whole lines of a segment from a byte offset on, until `mostLines` or about `mostBytes` are reached. What follows
 * the last newline (a line torn by a crash, or one being written) is left unread.
 */
export function readLines(path: string, from: number, mostLines: number, mostBytes: number): SegmentLine[] {
  const file = openSync(path, "r");
  try {
    const lines: SegmentLine[] = [];
    let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let filled = 0;
    let start = from;
    while (lines.length < mostLines && start - from < mostBytes) {
      const read = readSync(file, chunk, filled, chunk.length - filled, start + filled);
      filled += read;
      const taken = splitLines(path, chunk.subarray(0, filled), start, mostLines - lines.length, lines);
      if (taken === 0 && read === 0) break;
      if (taken === 0 && filled === chunk.length) chunk = Buffer.concat([chunk, Buffer.allocUnsafe(chunk.length)]);
      chunk.copyWithin(0, taken, filled);
      filled -= taken;
      start += taken;
    }
    return lines;
  } finally {
    closeSync(file);
  }
}

/** Appends the whole lines of `bytes` to `lines`; answers how many bytes they took. */
function splitLines(path: string, bytes: Buffer, offset: number, most: number, lines: SegmentLine[]): number {
  let start = 0;
  for (let count = 0; count < most; count++) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline < 0) break;
    const line = bytes.subarray(start, newline);
    const text = textOf(line);
    const end = offset + newline + 1;
    if (text !== null) lines.push({ text, end });
    else lines.push({ text, end, damage: damageOf(path, Buffer.from(line), offset + start, WRONG_CHECKSUM) });
    start = newline + 1;
  }
  return start;
}

/** What follows the last whole line, from a byte offset on; null: nothing does. Only for files that nobody writes any more. */
export function readIncompleteLine(path: string, from: number): SegmentLine | null {
  const raw = readFileSync(path).subarray(from);
  if (raw.length === 0) return null;
  return { text: null, end: from + raw.length, damage: damageOf(path, Buffer.from(raw), from, INCOMPLETE) };
}

/** The file by the name of the process's directory and its own: paths differ when a disk is mounted elsewhere. */
const damageOf = (path: string, raw: Buffer, offset: number, reason: string): DamagedLine => ({
  raw,
  file: join(basename(dirname(path)), basename(path)),
  offset,
  reason,
});

const CRC_DIGITS = 8;
const BLANK = 0x20;
const HEX = Buffer.from("0123456789abcdef");
/** Checksum and the blank behind it. */
const PREFIX = CRC_DIGITS + 1;

/** Longest UTF-8 form of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** The most bytes that are written at once, into a buffer that is used again. */
const WRITE_BYTES = 256 * 1024;

const scratch = Buffer.allocUnsafe(WRITE_BYTES);

/**
 * Journal lines, one behind the other: CRC-32 in hex, a blank, the text, a newline; and where each ends. Of the texts the first
 * ones that take no more than `mostBytes`, one at least. The bytes are only good until the next call.
 */
export function linesOf(
  texts: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): { bytes: Buffer; ends: number[] } {
  let needed = 0;
  let count = 0;
  for (const text of texts) {
    const lineBytes = PREFIX + text.length * BYTES_PER_UNIT + 1;
    if (count > 0 && needed + lineBytes > mostBytes) break;
    needed += lineBytes;
    count += 1;
  }
  const buffer = needed > scratch.length ? Buffer.allocUnsafe(needed) : scratch;
  const ends: number[] = [];
  let start = 0;
  for (let at = 0; at < count; at += 1) {
    const text = texts[at] as string;
    const end = start + PREFIX + buffer.write(text, start + PREFIX);
    writeChecksum(buffer, start, buffer.subarray(start + PREFIX, end));
    buffer[start + CRC_DIGITS] = BLANK;
    buffer[end] = NEWLINE;
    start = end + 1;
    ends.push(start);
  }
  return { bytes: buffer.subarray(0, start), ends };
}

/** The text of a line without its newline; null when the line is damaged. */
export function textOf(line: Buffer): string | null {
  if (line.length <= PREFIX) return null;
  const text = line.subarray(PREFIX);
  writeChecksum(expected, 0, text);
  return expected.equals(line.subarray(0, CRC_DIGITS)) ? text.toString("utf8") : null;
}

const expected = Buffer.alloc(CRC_DIGITS);

/**
 * Writes the checksum in hex. Digit by digit, which takes a third of the time of a text
 * made for it.
 */
function writeChecksum(buffer: Buffer, at: number, data: Uint8Array): void {
  const bits = Bun.hash.crc32(data);
  for (let digit = 0; digit < CRC_DIGITS; digit += 1) {
    buffer[at + digit] = HEX[(bits >>> (28 - 4 * digit)) & 0xf] as number;
  }
}

/** A segment this process writes: its file, and how far it is in the database. */
export class OwnSegment {
  readonly #file: number;
  /** Bytes in the file; changed only here. */
  bytes = 0;
  /** Offset up to which everything is in the database. */
  #done = 0;
  /** What is left, in memory too, so that it need not be read back; null: too much is remembered elsewhere. */
  readonly #lines: SegmentLine[] | null;
  #unsynced = false;
  /** The number of the last record in it, counted from the journal's beginning; changed only here. */
  last: number;
  #doneRecords = 0;

  /** Makes the file at `path`; `base`: the number of the last record before its first. Throws when it can't. */
  constructor(
    readonly path: string,
    remembers: boolean,
    private readonly base = 0,
  ) {
    this.last = base;
    this.#file = openSync(path, "a");
    this.#lines = remembers ? [] : null;
  }

  /** Bytes that are not in the database yet. */
  get left(): number {
    return this.bytes - this.#done;
  }

  /** Where the first record begins that is not in the database, and the number of the one before it. */
  get position(): Readonly<{ offset: number; index: number }> {
    return { offset: this.#done, index: this.base + this.#doneRecords };
  }

  get remembers(): boolean {
    return this.#lines !== null;
  }

  /**
   * Writes the first records, as many as one write takes, and returns how many; they survive the process. Throws, and leaves no
   * part of them, when the disk refuses.
   */
  append(texts: readonly string[]): number {
    const { bytes, ends } = linesOf(texts, WRITE_BYTES);
    let written = 0;
    try {
      written = writeSync(this.#file, bytes);
      if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    } catch (error) {
      ftruncateSync(this.#file, this.bytes);
      throw error;
    }
    if (this.#lines) {
      for (const [index, end] of ends.entries()) {
        this.#lines.push({ text: texts[index] as string, end: this.bytes + end });
      }
    }
    this.bytes += bytes.length;
    this.last += ends.length;
    this.#unsynced = true;
    return ends.length;
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

  /** The same of at most `count` of the first lines that are not; returns how many there were. */
  commitFirst(count: number): number {
    const lines = count > 0 && this.left > 0 ? this.read(count, Number.POSITIVE_INFINITY) : [];
    if (lines.length > 0) this.commit(lines);
    return lines.length;
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

  /** Closes and deletes the file. On a disk that refuses it stays: whoever reads it finds that its records are in the database. */
  drop(): void {
    this.close();
    try {
      unlinkSync(this.path);
    } catch {
      // The folder goes with the process's clean end.
    }
  }
}
