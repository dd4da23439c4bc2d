import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Sql } from "../../../db/types.ts";
import type { UsageRecord } from "../types.ts";
import { withoutWritten } from "./apply/apply-batch.ts";
import { tryReadRecord } from "./apply/record-text.ts";
import type { WrittenUpTo } from "./journal.ts";
import { BATCH_RECORDS } from "./pump.ts";
import { claimDirectory, isClaimable } from "./segments/adopt-orphans.ts";
import { readIncompleteLine, readLines, segmentPaths } from "./segments/segment.ts";

const BATCH_BYTES = 4 * 1024 * 1024;

/** What a process has in its journal directory. */
export type ProcessJournal = Readonly<{
  process: string;
  /** The process runs: it writes its records itself. */
  inUse: boolean;
  files: number;
  bytes: number;
  records: number;
  /** Lines that can't be read. */
  damaged: number;
  /** Records that are not in the database; null: the database can't be asked. */
  unwritten: number | null;
  /** Epoch seconds at which the oldest of them began; null: there is none, or the database can't be asked. */
  oldestUnwrittenAt: number | null;
}>;

/**
 * Reads the journals below a root directory without changing anything, also while their processes write them. Without `sql`
 * records are counted and not looked up. Rejects when the database does not answer.
 */
export async function inspectJournal(sql: Sql | null, root: string): Promise<ProcessJournal[]> {
  const journals: ProcessJournal[] = [];
  for (const process of await listProcesses(root)) journals.push(await inspectProcess(sql, root, process));
  return journals;
}

/** The ids of the processes that have a directory in a journal's root. */
export async function listProcesses(root: string): Promise<string[]> {
  const entries = existsSync(root) ? await readdir(root, { withFileTypes: true }) : [];
  return entries
    .filter((entry) => entry.isDirectory() && isClaimable(entry.name))
    .map(({ name }) => name)
    .sort();
}

async function inspectProcess(sql: Sql | null, root: string, process: string): Promise<ProcessJournal> {
  const directory = join(root, process);
  const inUse = isInUse(directory);
  const found = { files: 0, bytes: 0, records: 0, damaged: 0, unwritten: 0 };
  let oldest: number | null = null;
  for (const path of await segmentPaths(directory).catch(() => [])) {
    for await (const lines of linesOf(path, inUse)) {
      found.bytes = found.bytes + lines.bytes;
      found.records += lines.texts.length;
      found.damaged += lines.damaged;
      const unwritten = sql ? await findUnwritten(sql, lines.texts) : [];
      found.unwritten += unwritten.length;
      for (const text of unwritten) {
        const { createdAt } = tryReadRecord(text) ?? {};
        if (createdAt !== undefined) oldest = Math.min(oldest ?? Number.POSITIVE_INFINITY, createdAt);
      }
    }
    found.files += 1;
  }
  return { process, inUse, ...found, unwritten: sql && found.unwritten, oldestUnwrittenAt: oldest };
}

/** Of these texts those that are not in the database, among them any that are no record. */
export async function findUnwritten(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const isRecord = (text: string) => tryReadRecord(text) !== null;
  const records = texts.filter(isRecord);
  const unwritten = new Set(records.length > 0 ? await withoutWritten(sql, records) : []);
  return texts.filter((text) => unwritten.has(text) || !isRecord(text));
}

/** Whether a living process writes the journal in this directory. */
export function isInUse(directory: string): boolean {
  const claim = claimDirectory(directory);
  claim?.release();
  return claim === null;
}

/** The records of a segment in parts; one that is dropped meanwhile, because all of it is in the database, ends there. */
export async function* linesOf(path: string, inUse: boolean) {
  let at = 0;
  try {
    for (let lines = readLines(path, at, BATCH_RECORDS, BATCH_BYTES); lines.length > 0; ) {
      const end = lines.at(-1)?.end ?? at;
      const texts = lines.map(({ text }) => text).filter((text) => text !== null);
      yield { bytes: end - at, texts, damaged: lines.length - texts.length };
      at = end;
      lines = readLines(path, at, BATCH_RECORDS, BATCH_BYTES);
    }
    const incomplete = inUse ? null : readIncompleteLine(path, at);
    if (incomplete) yield { bytes: incomplete.end - at, texts: [], damaged: 1 };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

const LINES_AT_ONCE = 1000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/**
 * Calls `each` with every record that dead processes left in the journal's folder, and changes nothing. Of one process those
 * that were in the database at a known time are left out; those of others may be there already. Damaged lines, and those that are no record, are passed over.
 */
export async function readUnwritten(
  root: string,
  written: WrittenUpTo,
  each: (record: UsageRecord) => void,
): Promise<void> {
  for (const name of await listProcesses(root)) {
    const directory = join(root, name);
    const claim = claimDirectory(directory);
    if (!claim) continue;
    try {
      for (const path of await segmentPaths(directory)) {
        const isKnown = name === written.process && basename(path) <= written.segment;
        if (!isKnown) readSegment(path, 0, each);
        else if (basename(path) === written.segment) readSegment(path, written.offset, each);
      }
    } finally {
      claim.release();
    }
  }
}

function readSegment(path: string, start: number, each: (record: UsageRecord) => void): void {
  for (let from = start; ; ) {
    const lines = readLines(path, from, LINES_AT_ONCE, BYTES_AT_ONCE);
    for (const { text } of lines) {
      const record = text === null ? null : tryReadRecord(text);
      if (record) each(record);
    }
    const last = lines.at(-1);
    if (!last) return;
    from = last.end;
  }
}
