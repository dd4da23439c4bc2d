import { createReadStream } from "node:fs";
import { open, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DecryptionError, type Vault } from "../../lib/security/crypto.ts";
import { readSlices, type Snapshot, type SnapshotSource, writeSlices } from "./snapshot.ts";

const FILE = "outage-snapshot";
/** Keys that were withdrawn and users who were locked since then would be served again. */
const OLDEST_MS = 24 * 3_600_000;

type Place = Readonly<{ dataDir: string; databaseUrl: string; vault: Vault }>;

/**
 * Writes a snapshot into the data directory in the place of the last one: whole or not at all, encrypted line by line, with
 * pauses between the lines. Resolves with the bytes written. Rejects when the disk refuses.
 */
export async function writeSnapshot({ dataDir, databaseUrl, vault }: Place, source: SnapshotSource): Promise<number> {
  const path = join(dataDir, FILE);
  const draft = `${path}.${process.pid}.draft`;
  try {
    const file = await open(draft, "w", 0o600);
    let bytes = 0;
    try {
      for (const slice of writeSlices(source, vault.keyedHash(databaseUrl), Date.now()))
        bytes += (await file.write(`${vault.encrypt(slice)}\n`)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return bytes;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Says to the other workers of the host, by the file's time of access, when the next snapshot will be written. Never rejects. */
export async function announceNext(dataDir: string, inMs: number): Promise<void> {
  const now = Date.now();
  await utimes(join(dataDir, FILE), new Date(now + inMs), new Date(now)).catch(() => {});
}

/** Milliseconds since the next snapshot was due; negative: it will be; Infinity: there is no snapshot. */
export const overdueSnapshot = (dataDir: string): Promise<number> =>
  stat(join(dataDir, FILE)).then(
    ({ atimeMs }) => Date.now() - atimeMs,
    () => Number.POSITIVE_INFINITY,
  );

/**
 * The snapshot in the data directory; null: there is none that this release wrote of this database, or it is more than a day
 * old. Rejects when the file can't be read.
 */
export async function readSnapshot({ dataDir, databaseUrl, vault }: Place): Promise<Snapshot | null> {
  const path = join(dataDir, FILE);
  if (!(await Bun.file(path).exists())) return null;
  const slices: string[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY }))
      slices.push(vault.decrypt(line));
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
  const snapshot = readSlices(slices, vault.keyedHash(databaseUrl));
  return snapshot && Date.now() - snapshot.takenAt < OLDEST_MS ? snapshot : null;
}
