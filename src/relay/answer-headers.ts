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
    "x-sluice-overhead-ms": twoPlaces(call.overheadMs),
  };
  if (call.dropped.length > 0) headers["x-sluice-dropped"] = asHeader(call.dropped.join(", "));
  return headers;
}

/** As toFixed(2) has it, at half of its time. */
function twoPlaces(value: number): string {
  const hundredths = Math.round(value * 100);
  const rest = hundredths % 100;
  return `${(hundredths - rest) / 100}.${rest < 10 ? "0" : ""}${rest}`;
}

/** Headers hold plain signs alone: all others are written as addresses write them. */
const asHeader = (text: string): string => text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
