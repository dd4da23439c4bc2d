import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { UsageRecord } from "../types.ts";
import { readRecord } from "./record-text.ts";

const FILE = "rejected.jsonl";

/**
 * Keeps a record that the database refuses for what it contains, with the reason, for a human: one JSON object a line in
 * `rejected.jsonl` of the journal's root directory.
 */
export async function keepRejected(root: string, record: string | null, reason: string): Promise<void> {
  const line = JSON.stringify({ at: new Date().toISOString(), reason, record: record && named(record) });
  await appendFile(join(root, FILE), `${line}\n`, { mode: 0o600 });
}

/** With the names of its fields; a text that is none of a record stays as it is. */
function named(text: string): UsageRecord | string {
  try {
    return readRecord(text);
  } catch {
    return text;
  }
}
