import { Database } from "bun:sqlite";
import { mkdirSync, renameSync } from "node:fs";
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
 * process (or another part of this one) has it.
 */
export function claimDirectory(directory: string): Claim | null {
  // SQLite's exclusive lock is the one file lock that Bun offers; the kernel frees it with the process.
  const lock = new Database(join(directory, LOCK_FILE), { create: true });
  try {
    lock.run("begin exclusive");
    return { release: () => lock.close() };
  } catch {
    lock.close();
    return null;
  }
}
