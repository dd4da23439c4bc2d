import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Off the main thread: a large list must not hold up relayed calls. */
const pack = promisify(gzip);
/** Less is not worth a header more. */
const LEAST_BYTES = 1024;
const JSON_TYPE = /^application\/json\b/;
const TAKES_GZIP = /(^|,)\s*(gzip|\*)\s*(;\s*q=(0\.0*[1-9]\d*|1(\.0*)?))?\s*(,|$)/i;

/**
 * The answer packed with gzip where its client takes that: JSON under /api. Files and events go as they are,
 * since they are handed on while they are made.
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
