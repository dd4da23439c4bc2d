import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const brotli = promisify(brotliCompress);

/** Of smaller files nothing would be saved. The console has many small ones, and each byte of them counts on its first page. */
const MIN_BYTES = 128;
/** Fonts and images are compressed already; the encoding must save at least a twentieth. */
const WORTHWHILE = 0.95;

/** Blocks of 64 KB compress the console's scripts a little better than those that Brotli chooses. */
const BLOCK_BITS = 16;

/**
 * Replaces a file by `file`.br where that is worth it; `quality` of Brotli is the best by default, for what every user loads. The
 * server makes gzip of it for clients that don't take Brotli (src/console/system/web-assets/asset-loader.ts). Returns the sizes in
 * bytes: as it is, and as a browser that knows Brotli receives it.
 */
export async function writeCompressed(
  file: string,
  quality: number = constants.BROTLI_MAX_QUALITY,
): Promise<{ raw: number; brotli: number }> {
  const raw = await Bun.file(file).bytes();
  const sizes = { raw: raw.length, brotli: raw.length };
  if (raw.length <= MIN_BYTES) return sizes;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    [constants.BROTLI_PARAM_LGBLOCK]: BLOCK_BITS,
  };
  const encoded = await brotli(raw, { params });
  if (encoded.length > raw.length * WORTHWHILE) return sizes;
  await Bun.write(`${file}.br`, encoded);
  await rm(file);
  return { ...sizes, brotli: encoded.length };
}
