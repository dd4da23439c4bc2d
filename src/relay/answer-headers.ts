import type { Call } from "./call.ts";
import { corsHeaders } from "./headers.ts";

/** The gateway's own time in a call so far: milliseconds. */
export const overheadOf = (call: Call): number => Math.max(0, call.elapsedMs - call.waitedMs);

/** Headers of an answer; the gateway's own time up to its first byte stands in X-Sluice-Overhead-Ms. */
export function answerHeaders(call: Call, contentType: string): Record<string, string> {
  call.overheadMs = overheadOf(call);
  const headers: Record<string, string> = {
    ...corsHeaders(call.admitted.request),
    "content-type": contentType,
    "x-request-id": call.requestId,
    "x-sluice-overhead-ms": call.overheadMs.toFixed(2),
  };
  if (call.dropped.length > 0) headers["x-sluice-dropped"] = asHeader(call.dropped.join(", "));
  return headers;
}

/** Headers hold plain signs alone: all others are written as addresses write them. */
const asHeader = (text: string): string => text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
