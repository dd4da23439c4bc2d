import { unlinkSync } from "node:fs";
import type { RecordSource } from "../pump.ts";
import { readIncompleteLine, readLines, type SegmentLine, segmentPaths } from "./segment.ts";

/** The records that a dead process left in its journal directory; segments are deleted as they are committed. */
export async function openOrphan(directory: string): Promise<RecordSource> {
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
