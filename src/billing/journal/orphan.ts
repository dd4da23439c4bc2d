import { statSync, unlinkSync } from "node:fs";
import type { Logger } from "../../lib/log.ts";
import type { RecordSource } from "./pump.ts";
import { readLines, type SegmentLine, segmentPaths } from "./segment.ts";

/** The records that a dead process left in its journal directory; segments are deleted as they are committed. */
export async function openOrphan(directory: string, log: Logger): Promise<RecordSource> {
  const paths = await segmentPaths(directory);
  let done = 0;
  return {
    read(mostRecords, mostBytes) {
      for (let path = paths[0]; path; path = paths[0]) {
        const lines = readLines(path, done, mostRecords, mostBytes);
        if (lines.length > 0) return lines;
        const torn = statSync(path).size - done;
        if (torn > 0) log.warn({ path, bytes: torn }, "the journal ends in a torn line: that call was not settled");
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
