import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Runs off the main thread, so that compressing a large list does not delay relayed requests. */
const pack = promisify(gzip);
/** Smaller responses don't gain enough to justify the extra header. */
const LEAST_BYTES = 1024;
const JSON_TYPE = /^application\/json\b/;
const TAKES_GZIP = /(^|,)\s*(gzip|\*)\s*(;\s*q=(0\.0*[1-9]\d*|1(\.0*)?))?\s*(,|$)/i;

/**
 * Compresses JSON responses under /api with gzip when the client accepts it. Files and event streams stay uncompressed,
 * because they are sent while they are produced.
 */
export async function compressed(request: Request, answer: Response): Promise<Response> {
  const { headers } = answer;
  if (!TAKES_GZIP.test(request.headers.get("accept-encoding") ?? "")) return answer;
  if (!JSON_TYPE.test(headers.get("content-type") ?? "") || !answer.body) return answer;
  if (headers.has("content-encoding") || headers.has("content-disposition")) return answer;
  if (!new URL(request.url).pathname.startsWith("/api/")) return answer;
  const bytes = await answer.bytes();
  const packed = bytes.length < LEAST_BYTES ? null : await pack(bytes);
  const retained = new Headers(headers);
  retained.append("vary", "accept-encoding");
  if (packed) retained.set("content-encoding", "gzip");
  retained.delete("content-length");
  return new Response(packed ?? bytes, { status: answer.status, headers: retained });
}
