import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { rebase } from "../../../lib/http/base-path.ts";

/** Compressed variants that the build writes next to each file, best first. */
const ENCODINGS = [
  ["br", ".br"],
  ["zstd", ".zst"],
  ["gzip", ".gz"],
] as const;

export type Asset = { bytes: Uint8Array<ArrayBuffer>; type: string; etag: string; encoding: string | null };

/** Reads the file at a path in the best encoding that the client accepts; null: there is none. */
export type AssetLoader = (path: string, acceptEncoding: string) => Promise<Asset | null>;

/** The path below which a site is served, the files that name paths, and how those paths begin that lead below it. */
type Base = Readonly<{ basePath: string; files: RegExp; roots: readonly string[] }>;

/** Loads the files of `root` into memory on first use: they are a few megabytes in all. */
export function createAssetLoader(root: string, base: Base | null = null): AssetLoader {
  const cache = new Map<string, Asset>();
  const rebased = new Map<string, string>();

  const readRebased = async (
    { basePath, roots }: Base,
    path: string,
    acceptEncoding: string,
  ): Promise<Asset | null> => {
    let text = rebased.get(path);
    if (text === undefined) {
      const file = Bun.file(join(root, path));
      if (!(await file.exists())) return null;
      text = rebase(await file.text(), basePath, roots);
      rebased.set(path, text);
    }
    const encoded = await encodeText(text, acceptEncoding);
    return { ...encoded, type: typeOf(path), etag: `"${Bun.hash(text).toString(36)}"` };
  };
  return async (path, acceptEncoding) => {
    if (path === "/" || path.includes("..") || path.includes("\0")) return null;
    if (base && base.basePath !== "" && base.files.test(path)) {
      const key = `${path} ${bestOf(acceptEncoding)}`;
      const known = cache.get(key);
      if (known) return known;
      const asset = await readRebased(base, path, acceptEncoding);
      if (asset) cache.set(key, asset);
      return asset;
    }
    for (const [encoding, suffix] of [...ENCODINGS, [null, ""] as const]) {
      if (encoding && !acceptEncoding.includes(encoding)) continue;
      const known = cache.get(path + suffix);
      if (known) return known;
      const file = Bun.file(join(root, path + suffix));
      if (!(await file.exists())) continue;
      const bytes = await file.bytes();
      const asset = { bytes, type: typeOf(path), etag: `"${Bun.hash(bytes).toString(36)}"`, encoding };
      cache.set(path + suffix, asset);
      return asset;
    }
    return null;
  };
}

/** Markdown is UTF-8 as all of our texts are, which the runtime does not say. */
const typeOf = (path: string): string => Bun.file(path).type.replace(/^text\/markdown$/, "text/markdown;charset=utf-8");

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
/** Compresses a script nearly as well as the best level, in a twentieth of its time. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** The encoding of a text that is not compressed ahead. */
const bestOf = (acceptEncoding: string): "br" | "gzip" | null =>
  acceptEncoding.includes("br") ? "br" : acceptEncoding.includes("gzip") ? "gzip" : null;

/** A text as the client takes it. */
export async function encodeText(text: string, acceptEncoding: string): Promise<Pick<Asset, "bytes" | "encoding">> {
  const bytes = new TextEncoder().encode(text);
  const encoding = bestOf(acceptEncoding);
  if (encoding === null) return { bytes, encoding };
  const encoded = encoding === "br" ? await toBrotli(bytes, BROTLI_OPTIONS) : await toGzip(bytes);
  return { bytes: new Uint8Array(encoded), encoding };
}
