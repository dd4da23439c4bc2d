import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";

/** Where a large file comes from: a file of a package, or the default export of a module, as JSON. */
type Source = Readonly<{ file: string } | { module: string }>;

/**
 * Large files of packages that few processes need, or only at times: the executable carries them compressed. As modules the
 * ranks of the tokenizers alone would take 15 MB of it, as source and as bytecode.
 */
const SOURCES = {
  "font.ttf": { file: "@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf" },
  "o200k_base.json": { module: "gpt-tokenizer/bpeRanks/o200k_base" },
  "cl100k_base.json": { module: "gpt-tokenizer/bpeRanks/cl100k_base" },
} as const satisfies Readonly<Record<string, Source>>;

export type PackedFile = keyof typeof SOURCES;

export const PACKED_FILES = Object.keys(SOURCES) as readonly PackedFile[];

const FOLDER = "/$bunfs/root/packed";

const unpack = promisify(zstdDecompress);

/** Reads such a file: in the executable what the build packed, in the sources the package itself. */
export async function readPacked(name: PackedFile): Promise<Uint8Array> {
  if (!Bun.isStandaloneExecutable) return readSource(name);
  return unpack(await Bun.file(`${FOLDER}/${name}.zst`).bytes());
}

/** Reads such a file from its package. */
export async function readSource(name: PackedFile): Promise<Uint8Array> {
  const source: Source = SOURCES[name];
  if ("file" in source) return Bun.file(Bun.resolveSync(source.file, import.meta.dir)).bytes();
  // Named at run time, so that the bundler leaves it out.
  const { default: value } = await import(Bun.resolveSync(source.module, import.meta.dir));
  return new TextEncoder().encode(JSON.stringify(value));
}
