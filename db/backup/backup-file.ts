import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";

export type BackupFile = Readonly<{
  /** Adds lines; resolves when more may come. Rejects when the disk refuses. */
  lines(texts: readonly string[]): Promise<void>;
  /** Adds the checksum and puts the file in its place, whole and on disk. */
  finish(): Promise<void>;
  /** Leaves no trace. */
  discard(): Promise<void>;
}>;

/** Begins a backup file that only this user can read; until finish() nothing stands under its name. */
export function createBackupFile(path: string): BackupFile {
  const draft = `${path}.${process.pid}.part`;
  const hash = new Bun.CryptoHasher("sha256");
  const compressor = createZstdCompress();
  const written = pipeline(compressor, createWriteStream(draft, { mode: 0o600, flush: true }));
  // Heard by whoever waits for a line or the end; nobody may be waiting at the moment it fails.
  let failure: unknown = null;
  written.catch((error) => {
    failure = error;
  });
  const write = async (text: string) => {
    if (failure) throw failure;
    if (!compressor.write(text)) await Promise.race([once(compressor, "drain"), written]);
  };
  return {
    async lines(texts) {
      if (texts.length === 0) return;
      const block = `${texts.join("\n")}\n`;
      hash.update(block);
      await write(block);
    },
    async finish() {
      await write(`${JSON.stringify(["sha256", hash.digest("hex")])}\n`);
      compressor.end();
      await written;
      await rename(draft, path);
    },
    async discard() {
      compressor.destroy();
      await written.catch(() => {});
      await rm(draft, { force: true });
    },
  };
}
