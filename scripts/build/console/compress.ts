import { promisify } from "node:util";
import * as zlib from "node:zlib";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const zstd = promisify(zlib.zstdCompress);

/** Of smaller files nothing would be saved. The console has many small ones, and each byte of them counts on its first page. */
const MIN_BYTES = 128;
/** Fonts and images are compressed already; a variant must save at least a twentieth to be kept. */
const WORTHWHILE = 0.95;

/** Blocks of 64 KB compress the console's scripts a little better than those that Brotli chooses. */
const BROTLI_BLOCK_BITS = 16;

/** Levels of Brotli and zstd. */
export type Effort = Readonly<{ brotli: number; zstd: number }>;

/** For what every user loads. */
const STRONGEST: Effort = { brotli: zlib.constants.BROTLI_MAX_QUALITY, zstd: 19 };

const ENCODERS = [
  {
    suffix: ".br",
    encode: (raw: Uint8Array, effort: Effort) =>
      brotli(raw, {
        params: {
          [zlib.constants.BROTLI_PARAM_QUALITY]: effort.brotli,
          [zlib.constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
          [zlib.constants.BROTLI_PARAM_LGBLOCK]: BROTLI_BLOCK_BITS,
        },
      }),
  },
  { suffix: ".gz", encode: (raw: Uint8Array) => gzip(raw, { level: 9 }) },
  {
    suffix: ".zst",
    encode: (raw: Uint8Array, effort: Effort) =>
      zstd(raw, { params: { [zlib.constants.ZSTD_c_compressionLevel]: effort.zstd } }),
  },
] as const;

/**
 * Writes `file`.br, .gz and .zst next to a file where they are worth it, with `effort` (by default the strongest levels: it happens
 * once, at build time). Returns the sizes in bytes: as it is, and as a browser that knows Brotli receives it.
 */
export async function writeCompressed(file: string, effort = STRONGEST): Promise<{ raw: number; brotli: number }> {
  const raw = await Bun.file(file).bytes();
  const sizes = { raw: raw.length, brotli: raw.length };
  if (raw.length <= MIN_BYTES) return sizes;
  await Promise.all(
    ENCODERS.map(async ({ suffix, encode }) => {
      const encoded = await encode(raw, effort);
      if (encoded.length > raw.length * WORTHWHILE) return;
      if (suffix === ".br") sizes.brotli = encoded.length;
      await Bun.write(file + suffix, encoded);
    }),
  );
  return sizes;
}
