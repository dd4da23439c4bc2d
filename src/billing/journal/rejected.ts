import { appendFile } from "node:fs/promises";
import { join } from "node:path";

const FILE = "rejected.jsonl";

/**
 * Keeps a record that the database refuses for what it contains, with the reason, for a human: one JSON object a line in
 * `rejected.jsonl` of the journal's root directory.
 */
export async function keepRejected(root: string, record: string | null, reason: string): Promise<void> {
  const line = JSON.stringify({ at: new Date().toISOString(), reason, record });
  await appendFile(join(root, FILE), `${line}\n`, { mode: 0o600 });
}
