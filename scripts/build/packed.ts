import { rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { PACKED_FILES, type PackedFile, readSource } from "../../src/lib/runtime/packed-files.ts";

const ROOT = path.resolve(import.meta.dir, "../..");
const OUT = path.join(ROOT, "dist/packed");
/** What they are made from: a packed file is outdated when one of these is newer. */
const SOURCES = ["bun.lock", "src/lib/runtime/packed-files.ts"];
const LEVEL = 19;

const pack = promisify(zstdCompress);

/** Packs the large files of packages into dist/packed for the executable, where they are not up to date. Returns their bytes. */
export async function packFiles(): Promise<number> {
  const changed = Math.max(...SOURCES.map((source) => Bun.file(path.join(ROOT, source)).lastModified));
  const sizes = await Promise.all(PACKED_FILES.map((name) => packFile(name, changed)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function packFile(name: PackedFile, changed: number): Promise<number> {
  const out = path.join(OUT, `${name}.zst`);
  const made = Bun.file(out);
  if ((await made.exists()) && made.lastModified > changed) return made.size;
  const packed = await pack(await readSource(name), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  const draft = `${out}.${process.pid}`;
  await Bun.write(draft, packed);
  await rename(draft, out);
  return packed.length;
}
