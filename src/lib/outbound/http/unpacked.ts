import type { DirectAnswer } from "./direct-answer.ts";
import { BrokenAnswer } from "./response-head.ts";

/** An answer whose head has come; what is common to both is all that is used of one. */
export type HttpAnswer = Response | DirectAnswer;

const ENCODINGS: Readonly<Record<string, Bun.CompressionFormat>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
  zstd: "zstd",
};

/** The answer as it is to be read: some servers compress though nobody asked them to. Throws BrokenAnswer. */
export function unpacked(answer: DirectAnswer): HttpAnswer {
  const encoding = answer.headers.get("content-encoding")?.toLowerCase();
  if (encoding === undefined || encoding === "identity") return answer;
  const format = ENCODINGS[encoding];
  if (!format) throw new BrokenAnswer(`the answer is encoded as ${encoding}`);
  const headers = new Headers([...answer.headers]);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(answer.body.pipeThrough(decompression(format)), { status: answer.status, headers });
}

/** The DOM's types know fewer formats than the runtime. */
const decompression = (format: Bun.CompressionFormat) =>
  new DecompressionStream(format as CompressionFormat) as ReadableWritablePair<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >;
