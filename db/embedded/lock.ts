import { Database as LockFile } from "bun:sqlite";
import { join } from "node:path";
import { DatabaseError } from "../types.ts";

/**
 * Takes the data directory for this process alone; the operating system frees it when the process ends, however it ends.
 * (SQLite's exclusive lock is a POSIX record lock: the file must not be opened elsewhere in this process.)
 * Returns what releases it. Throws DatabaseError when another process has it.
 */
export function lockDataDir(dataDir: string): () => void {
  const file = new LockFile(join(dataDir, "sluice.lock"), { create: true });
  try {
    file.run("pragma locking_mode = exclusive");
    file.run("begin exclusive");
  } catch {
    file.close();
    throw new DatabaseError(`another sluice process is using ${dataDir}: stop it, or choose another DATA_DIR`);
  }
  return () => file.close();
}
