import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants, gzip } from "node:zlib";
import { rebase } from "../../../lib/http/base-path.ts";

/** The build leaves a file that can be compressed in this encoding alone. */
const STORED = ".br";

export type Asset = { bytes: Uint8Array<ArrayBuffer>; type: string; etag: string; encoding: string | null };

/** Reads the file at a path in Brotli, gzip or as it is, as the client accepts; null: there is none. */
export type AssetLoader = (path: string, acceptEncoding: string) => Promise<Asset | null>;

/** The path below which a site is served, the files that name paths, and how those paths begin that lead below it. */
type Base = Readonly<{ basePath: string; files: RegExp; roots: readonly string[] }>;

/** Loads the files of `root` into memory on first use: they are a few megabytes in all. */
export function createAssetLoader(root: string, base: Base | null = null): AssetLoader {
  const cache = new Map<string, Asset>();
  const rebased = new Map<string, string>();

  const readRebased = async ({ basePath, roots }: Base, path: string, encoding: Encoding): Promise<Asset | null> => {
    let text = rebased.get(path);
    if (text === undefined) {
      const stored = await readStored(join(root, path));
      if (!stored) return null;
      text = rebase(new TextDecoder().decode(await plainOf(stored)), basePath, roots);
      rebased.set(path, text);
    }
    const encoded = await encodeText(text, encoding ?? "");
    return { ...encoded, type: typeOf(path), etag: `"${Bun.hash(text).toString(36)}"` };
  };
  const readAsIs = async (path: string, encoding: Encoding): Promise<Asset | null> => {
    const stored = await readStored(join(root, path));
    if (!stored) return null;
    const etag = `"${Bun.hash(stored.bytes).toString(36)}"`;
    return { ...(await encodedAs(stored, encoding)), type: typeOf(path), etag };
  };
  return async (path, acceptEncoding) => {
    if (path === "/" || path.includes("..") || path.includes("\0")) return null;
    const encoding = bestOf(acceptEncoding);
    const key = `${path} ${encoding}`;
    const known = cache.get(key);
    if (known) return known;
    const isRebased = base && base.basePath !== "" && base.files.test(path);
    const asset = isRebased ? await readRebased(base, path, encoding) : await readAsIs(path, encoding);
    if (asset) cache.set(key, asset);
    return asset;
  };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Encoding = "br" | "gzip" | null;
type Stored = Readonly<{ bytes: Bytes; isCompressed: boolean }>;

/** A file as the build left it; null: there is none. */
async function readStored(path: string): Promise<Stored | null> {
  for (const isCompressed of [true, false]) {
    const file = Bun.file(isCompressed ? path + STORED : path);
    if (await file.exists()) return { bytes: await file.bytes(), isCompressed };
  }
  return null;
}

const fromBrotli = promisify(brotliDecompress);

const plainOf = async ({ bytes, isCompressed }: Stored): Promise<Bytes> =>
  isCompressed ? new Uint8Array(await fromBrotli(bytes)) : bytes;

/** The file for a client that takes this encoding. Browsers take Brotli over https and from this machine. */
async function encodedAs(stored: Stored, encoding: Encoding): Promise<Pick<Asset, "bytes" | "encoding">> {
  if (!stored.isCompressed || encoding === "br")
    return { bytes: stored.bytes, encoding: stored.isCompressed ? "br" : null };
  const plain = await plainOf(stored);
  return encoding === "gzip" ? { bytes: new Uint8Array(await toGzip(plain)), encoding } : { bytes: plain, encoding };
}

/** Markdown is UTF-8 as all of our texts are, which the runtime does not say. */
const typeOf = (path: string): string => Bun.file(path).type.replace(/^text\/markdown$/, "text/markdown;charset=utf-8");

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);
/** Compresses a script nearly as well as the best level, in a twentieth of its time. */
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** The encoding of a text that is not compressed ahead. */
const bestOf = (acceptEncoding: string): Encoding =>
  acceptEncoding.includes("br") ? "br" : acceptEncoding.includes("gzip") ? "gzip" : null;

/** A text as the client takes it. */
export async function encodeText(text: string, acceptEncoding: string): Promise<Pick<Asset, "bytes" | "encoding">> {
  const bytes = new TextEncoder().encode(text);
  const encoding = bestOf(acceptEncoding);
  if (encoding === null) return { bytes, encoding };
  const encoded = encoding === "br" ? await toBrotli(bytes, BROTLI_OPTIONS) : await toGzip(bytes);
  return { bytes: new Uint8Array(encoded), encoding };
}
