import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/** The body has a content coding (RFC 9110, section 8.4) that cannot be undone. */
export class EncodingError extends Error {
  override name = "EncodingError";
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** More would only multiply the size of a decompression bomb. */
const MAX_CODINGS = 2;

/**
 * The response with its content codings undone. Bytes are decoded as they are read, some KiB at a time, so a reader that
 * stops at its size limit never holds what a decompression bomb would become. Throws EncodingError.
 */
export function decodeBody(response: Response): Response {
  const header = response.headers.get("content-encoding");
  if (header === null || header === "identity" || header === "" || !response.body) return response;
  const codings = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "identity" && coding !== "");
  const decoders = codings.reverse().map((coding) => DECODERS[coding]);
  if (decoders.length > MAX_CODINGS || decoders.includes(undefined)) {
    void response.body.cancel();
    throw new EncodingError(`the response is encoded as ${header}`);
  }
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const source = Readable.from(response.body);
  const stages = decoders.flatMap((create) => (create ? [create()] : []));
  // Errors of any stage reach whoever reads the last one.
  const decoded = stages.length === 0 ? source : pipeline([source, ...stages], () => {});
  return new Response(readableOf(decoded as Readable), { status: response.status, headers });
}

/** A web stream that reads no further ahead than it is asked. */
function readableOf(source: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
