import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";

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
