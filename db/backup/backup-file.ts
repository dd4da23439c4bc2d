import { once } from "node:events";
import { createWriteStream, openSync, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";

export type BackupFile = Readonly<{
  /** Adds lines; resolves when more may come. Rejects when the disk refuses. */
  lines(texts: readonly string[]): Promise<void>;
  /** Adds `count` rows as COPY writes them. */
  rows(count: number, text: Buffer): Promise<void>;
  /** Adds the checksum and puts the file in its place, whole and on disk. */
  finish(): Promise<void>;
  /** Leaves no trace. */
  discard(): Promise<void>;
}>;

/**
 * Begins a backup file that only this user can read; until finish() nothing stands under its name. `asCaller` runs what
 * makes, renames or deletes it.
 */
export function createBackupFile(path: string, asCaller: <T>(run: () => T) => T): BackupFile {
  const draft = `${path}.${process.pid}.part`;
  const fd = asCaller(() => openSync(draft, "w", 0o600));
  const hash = new Bun.CryptoHasher("sha256");
  const compressor = createZstdCompress();
  const written = pipeline(compressor, createWriteStream(draft, { fd, flush: true }));
  // Whoever waits for a line or the end gets it; nobody may be waiting at the moment it fails.
  let failure: unknown = null;
  written.catch((error) => {
    failure = error;
  });
  const write = async (text: string | Buffer) => {
    if (failure) throw failure;
    if (!compressor.write(text)) await Promise.race([once(compressor, "drain"), written]);
  };
  const add = (text: string | Buffer) => {
    hash.update(text);
    return write(text);
  };
  return {
    async lines(texts) {
      if (texts.length > 0) await add(`${texts.join("\n")}\n`);
    },
    async rows(count, text) {
      await add(`${JSON.stringify(["rows", count, text.length])}\n`);
      await add(text);
    },
    async finish() {
      await write(`${JSON.stringify(["sha256", hash.digest("hex")])}\n`);
      compressor.end();
      await written;
      asCaller(() => renameSync(draft, path));
    },
    async discard() {
      compressor.destroy();
      await written.catch(() => {});
      asCaller(() => rmSync(draft, { force: true }));
    },
  };
}
