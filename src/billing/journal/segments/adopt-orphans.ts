import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, renameSync, unlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../lib/runtime/log.ts";
import { Pump, type RecordSink, type RecordSource } from "../pump.ts";
import { readIncompleteLine, readLines, type SegmentLine, segmentPaths } from "./segment.ts";

type Parts = Readonly<{
  /** Holds one directory per process, named by its id. */
  root: string;
  /** Where the records of this dead process go. */
  sinkFor(processId: string): RecordSink;
  /** All records of this process are in the database. */
  done(processId: string): Promise<void>;
  log: Logger;
}>;

/**
 * Brings the records of processes that died into the database and removes their directories; those of living processes
 * are locked and stay. Rejects when one of them could not be brought there; the others are, and what was done stays done.
 */
export async function adoptOrphans({ root, sinkFor, done, log }: Parts): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true });
  let failure: { error: unknown } | null = null;
  for (const { name: processId } of entries.filter((entry) => entry.isDirectory() && isClaimable(entry.name))) {
    const directory = join(root, processId);
    const claim = claimDirectory(directory);
    if (!claim) continue;
    try {
      const pump = new Pump(await openOrphan(directory), sinkFor(processId));
      while (await pump.step());
      await done(processId);
      await rm(directory, { recursive: true, force: true });
      log.info({ processId }, "the journal of an earlier process is in the database");
    } catch (error) {
      failure ??= { error };
    } finally {
      claim.release();
    }
  }
  if (failure) throw failure.error;
}

/** The records that a dead process left in its journal directory; segments are deleted as they are committed. */
async function openOrphan(directory: string): Promise<RecordSource> {
  const paths = await segmentPaths(directory);
  let done = 0;
  return {
    read(mostRecords, mostBytes) {
      for (let path = paths[0]; path; path = paths[0]) {
        const lines = readLines(path, done, mostRecords, mostBytes);
        if (lines.length > 0) return lines;
        const incomplete = readIncompleteLine(path, done);
        if (incomplete) return [incomplete];
        unlinkSync(path);
        paths.shift();
        done = 0;
      }
      return [];
    },
    commit(lines: readonly SegmentLine[]) {
      done = lines.at(-1)?.end ?? done;
    },
  };
}

const LOCK_FILE = "owner.lock";

export type Claim = Readonly<{ release(): void }>;

/** Directories under way to their name; nobody else touches them. */
const UNFINISHED = ".";

/** Names of directories that may be claimed. */
export const isClaimable = (name: string): boolean => !name.startsWith(UNFINISHED);

/** Makes the directory `name` in `root`, claimed from its first moment on. Throws when it exists or can't be written. */
export function makeClaimedDirectory(root: string, name: string): Claim {
  const draft = join(root, UNFINISHED + name);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const claim = claimDirectory(draft);
  if (!claim) throw new Error(`${draft} is in use`);
  renameSync(draft, join(root, name));
  return claim;
}

/**
 * Claims a journal directory for this process until `release` or the process's end, however it ends. Null when another
 * process (or another part of this one) has it, or has removed it meanwhile. Throws when it can't be written.
 */
export function claimDirectory(directory: string): Claim | null {
  const lock = openLock(directory);
  if (!lock) return null;
  try {
    lock.run("begin exclusive");
    // Whoever had it may have removed it between the opening of the file and its lock.
    if (existsSync(directory)) return { release: () => lock.close() };
  } catch {
    // Somebody else has the lock.
  }
  lock.close();
  return null;
}

/** SQLite's exclusive lock is the one file lock that Bun offers; the kernel frees it with the process. */
function openLock(directory: string): Database | null {
  try {
    return new Database(join(directory, LOCK_FILE), { create: true });
  } catch (error) {
    if (existsSync(directory)) throw error;
    return null;
  }
}
