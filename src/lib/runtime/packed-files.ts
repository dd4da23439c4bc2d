import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { zstdDecompress, zstdDecompressSync } from "node:zlib";

/** Where a large file comes from: a file of a package or of the sources, or the default export of a module, as JSON. */
type Source = Readonly<{ file: string } | { module: string }>;

/**
 * Large files that few processes need, or only at times: the executable carries them compressed. As modules the ranks of the
 * tokenizers alone would take 15 MB of it, as source and as bytecode; the embedded engine and its first files 62 MB.
 */
const SOURCES = {
  "pglite.wasm": { file: "../../../node_modules/@electric-sql/pglite/dist/pglite.wasm" },
  "pglite.data": { file: "../../../node_modules/@electric-sql/pglite/dist/pglite.data" },
  "seed.tar": { file: "../../../db/embedded/seed.tar" },
  "answers.json": { file: "../../server/control-plane/api-reference/answers.json" },
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

/** Reads such a file at once, where what is done next may hold this thread up. */
export function readPackedSync(name: PackedFile): Buffer<ArrayBuffer> {
  const file = Bun.isStandaloneExecutable ? `${FOLDER}/${name}.zst` : sourcePath(name);
  if (file === null) throw new Error(`${name} comes from a module, which cannot be read at once`);
  const bytes = readFileSync(file);
  return Bun.isStandaloneExecutable ? zstdDecompressSync(bytes) : bytes;
}

/** The path of the file that it comes from; null: it comes from a module. */
export function sourcePath(name: PackedFile): string | null {
  const source: Source = SOURCES[name];
  return "file" in source ? Bun.resolveSync(source.file, import.meta.dir) : null;
}

/** Reads such a file from its package. */
export async function readSource(name: PackedFile): Promise<Uint8Array> {
  const source: Source = SOURCES[name];
  if ("file" in source) return Bun.file(Bun.resolveSync(source.file, import.meta.dir)).bytes();
  // Named at run time, so that the bundler leaves it out.
  const { default: value } = await import(Bun.resolveSync(source.module, import.meta.dir));
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The name of the file that carries a package as one module. */
export const packedModuleFile = (name: string): string => `${name.replace(/\W+/g, "-").replace(/^-/, "")}.js`;

/** Loads a package that the executable carries as one compressed module. */
export async function importPacked(file: string): Promise<unknown> {
  const text = await unpack(await Bun.file(`${FOLDER}/${file}.zst`).bytes());
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return import(url).finally(() => URL.revokeObjectURL(url));
}
