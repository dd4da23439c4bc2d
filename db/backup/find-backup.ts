import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readBackup } from "./read-backup.ts";

/** What a Zstandard frame begins with (RFC 8878, 3.1.1). */
const ZSTANDARD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

export type FoundBackup = Readonly<{ path: string /** ISO 8601. */; madeAt: string }>;

/** The newest backup among the files of some directories, by what it says itself; null: there is none. */
export async function findNewestBackup(directories: readonly string[]): Promise<FoundBackup | null> {
  let newest: { path: string; createdAt: number } | null = null;
  for (const path of (await Promise.all(directories.map(listFiles))).flat()) {
    const createdAt = (await isCompressed(path)) ? await readTime(path) : null;
    if (createdAt !== null && createdAt > (newest?.createdAt ?? 0)) newest = { path, createdAt };
  }
  return newest && { path: newest.path, madeAt: new Date(newest.createdAt * 1000).toISOString().replace(".000", "") };
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name));
}

async function isCompressed(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (!file) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(ZSTANDARD.length), 0, ZSTANDARD.length, 0);
    return bytesRead === ZSTANDARD.length && buffer.equals(ZSTANDARD);
  } finally {
    await file.close();
  }
}

/** When it was made, in epoch seconds; null: it is no backup. */
async function readTime(path: string): Promise<number | null> {
  try {
    for await (const item of readBackup(path)) return item.kind === "head" ? item.head.createdAt : null;
  } catch {
    // Something else that is compressed.
  }
  return null;
}
