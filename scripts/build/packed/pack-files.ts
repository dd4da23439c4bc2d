import { rename } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import {
  PACKED_FILES,
  type PackedFile,
  packedModuleFile,
  readSource,
  sourcePath,
} from "../../../src/lib/runtime/packed-files.ts";
import { bundleModule, PACKED_MODULES } from "./modules.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const OUT = path.join(ROOT, "dist/packed");
/** What they are made from: a packed file is outdated when one of these is newer. */
const SOURCES = ["bun.lock", "src/lib/runtime/packed-files.ts", "scripts/build/packed/modules.ts"];
const LEVEL = { [constants.ZSTD_c_compressionLevel]: 19 };
/** The first files of a database repeat far apart; finding that takes a third longer to unpack. */
const FAR = {
  ...LEVEL,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  // The most that is unpacked without an option.
  [constants.ZSTD_c_windowLog]: 27,
};
const LARGE_BYTES = 16 * 1024 * 1024;

const pack = promisify(zstdCompress);

/** Packs large files, and packages that few need, into dist/packed for the executable, where they are not up to date. Returns their bytes. */
export async function packFiles(): Promise<number> {
  const changed = Math.max(...SOURCES.map((source) => Bun.file(path.join(ROOT, source)).lastModified));
  const sizes = await Promise.all([
    ...PACKED_FILES.map((name) => packFile(name, Math.max(changed, changedAt(name)), () => readSource(name))),
    ...PACKED_MODULES.map((name) => packFile(packedModuleFile(name), changed, () => bundleModule(name))),
  ]);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function changedAt(name: PackedFile): number {
  const source = sourcePath(name);
  return source === null ? 0 : Bun.file(source).lastModified;
}

async function packFile(name: string, changed: number, read: () => Promise<string | Uint8Array>): Promise<number> {
  const out = path.join(OUT, `${name}.zst`);
  const made = Bun.file(out);
  if ((await made.exists()) && made.lastModified > changed) return made.size;
  const content = await read();
  const packed = await pack(content, { params: content.length > LARGE_BYTES ? FAR : LEVEL });
  const draft = `${out}.${process.pid}`;
  await Bun.write(draft, packed);
  await rename(draft, out);
  return packed.length;
}
