import { closeSync, openSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { textOf } from "./line.ts";

const SUFFIX = ".jsonl";
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** One intact or damaged line of a segment; `end` is the byte offset behind it. */
export type SegmentLine = Readonly<{ text: string | null; end: number }>;

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
      const taken = splitLines(chunk.subarray(0, filled), start, mostLines - lines.length, lines);
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
function splitLines(bytes: Buffer, offset: number, most: number, lines: SegmentLine[]): number {
  let start = 0;
  for (let count = 0; count < most; count++) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline < 0) break;
    lines.push({ text: textOf(bytes.subarray(start, newline)), end: offset + newline + 1 });
    start = newline + 1;
  }
  return start;
}
