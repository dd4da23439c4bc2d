import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { UsageRecord } from "../types.ts";
import { readRecord } from "./apply/record-text.ts";
import { claimDirectory, isClaimable } from "./segments/claim.ts";
import { readLines, segmentPaths } from "./segments/segment.ts";

const LINES_AT_ONCE = 1000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/**
 * Calls `each` with every record that dead processes left in the journal's folder, and changes nothing. Some of them may be
 * in the database already; damaged lines are passed over.
 */
export async function readUnwritten(root: string, each: (record: UsageRecord) => void): Promise<void> {
  if (!existsSync(root)) return;
  const entries = await readdir(root, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory() && isClaimable(entry.name))) {
    const directory = join(root, name);
    const claim = claimDirectory(directory);
    if (!claim) continue;
    try {
      for (const path of await segmentPaths(directory)) readSegment(path, each);
    } finally {
      claim.release();
    }
  }
}

function readSegment(path: string, each: (record: UsageRecord) => void): void {
  for (let from = 0; ; ) {
    const lines = readLines(path, from, LINES_AT_ONCE, BYTES_AT_ONCE);
    for (const { text } of lines) if (text !== null) each(readRecord(text));
    const last = lines.at(-1);
    if (!last) return;
    from = last.end;
  }
}
