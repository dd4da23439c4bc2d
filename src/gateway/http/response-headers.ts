import { EVENT_STREAM_HEADERS } from "../../lib/http/sse.ts";
import type { Call } from "../call/call.ts";
import { corsHeaders } from "./headers.ts";

/** What an answer is given as. */
export type ResponseBody = ConstructorParameters<typeof Response>[0];

/**
 * The answer to a call, with its headers; the gateway's own time up to its first byte stands in X-Sluice-Overhead-Ms.
 * `isStream`: its body is a stream of events.
 */
export function responseTo(call: Call, body: ResponseBody, contentType: string, isStream: boolean): Response {
  const overheadMs = call.timing.markOverhead();
  const dropped = call.attempts.route?.dropped ?? [];
  const headers = commonHeaders(call.request, contentType, isStream);
  headers.set("x-request-id", call.requestId);
  headers.set("x-sluice-overhead-ms", overheadMs.toFixed(2));
  if (dropped.length === 0) return new Response(body, { headers });
  const own = new Headers(headers);
  own.set("x-sluice-dropped", asHeader(dropped.join(", ")));
  return new Response(body, { headers: own });
}

/** By whether a page reads them and whether they begin a stream, then by content type. */
const common: readonly Map<string, Headers>[] = Array.from({ length: 4 }, () => new Map());
/** Upstreams may name any content type. */
const MOST_TYPES = 100;

/**
 * What the headers of such answers have in common, made once: an answer copies them, which takes half of the time of making
 * them anew. Its own two are written over those of the answer before.
 */
function commonHeaders(request: Request, contentType: string, isStream: boolean): Headers {
  const cors = corsHeaders(request);
  const byType = common[(cors ? 2 : 0) + (isStream ? 1 : 0)] as Map<string, Headers>;
  let headers = byType.get(contentType);
  if (!headers) {
    headers = new Headers({ ...cors, ...(isStream && EVENT_STREAM_HEADERS), "content-type": contentType });
    if (byType.size >= MOST_TYPES) byType.clear();
    byType.set(contentType, headers);
  }
  return headers;
}

/** Headers hold plain signs alone: all others are written as addresses write them. */
const asHeader = (text: string): string => text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
