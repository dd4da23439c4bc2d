import { unlinkSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { RecordSource } from "../pump.ts";
import { Pump, type RecordSink } from "../pump.ts";
import { claimDirectory, isClaimable } from "./claim.ts";
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
 * are locked and stay. Rejects when the database can't be reached; what was done stays done.
 */
export async function adoptOrphans({ root, sinkFor, done, log }: Parts): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true });
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
    } finally {
      claim.release();
    }
  }
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
