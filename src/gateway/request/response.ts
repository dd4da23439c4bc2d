import { EVENT_STREAM_HEADERS } from "../../lib/http/sse.ts";
import type { Call } from "../call/call.ts";
import { corsHeaders } from "./headers.ts";

/** What an answer is given as. */
type ResponseBody = ConstructorParameters<typeof Response>[0];

/**
 * The response to a call with its headers; X-Sluice-Overhead-Ms is the gateway's own time up to its first byte.
 * `isStream`: the body is a stream of events.
 */
export function responseTo(call: Call, body: ResponseBody, contentType: string, isStream: boolean): Response {
  const overheadMs = call.timing.markOverhead();
  const dropped = call.servedBy?.dropped ?? [];
  const isWebsite = call.request.headers.has("origin");
  const isAnthropic = call.endpoint.codec.dialect === "anthropic";
  const byType = common[(isAnthropic ? 4 : 0) + (isWebsite ? 2 : 0) + (isStream ? 1 : 0)] as Map<string, Headers>;
  const headers = byType.get(contentType) ?? makeHeaders(byType, call.request, contentType, isStream);
  headers.set("x-request-id", call.requestId);
  // The header that Anthropic's SDKs read.
  if (isAnthropic) headers.set("request-id", call.requestId);
  headers.set("x-sluice-overhead-ms", overheadMs.toFixed(2));
  const hasFallenBack = call.fallbackFrom !== null;
  if (dropped.length === 0 && !hasFallenBack) return new Response(body, { headers });
  const own = new Headers(headers);
  if (dropped.length > 0) own.set("x-sluice-dropped", asHeader(dropped.join(", ")));
  if (hasFallenBack) own.set("x-sluice-model", asHeader(call.summary.model));
  return new Response(body, { headers: own });
}

/** Indexed by whether Anthropic's SDKs or a browser read them, and whether they begin a stream; then by content type. */
const common: readonly Map<string, Headers>[] = Array.from({ length: 8 }, () => new Map());

/** Maximum number of cached content types, because upstreams may send any. */
const MAX_TYPES = 100;

/**
 * The common headers of such responses, remembered in `byType`: copying them takes half as long as building them. A
 * response overwrites the headers of its own.
 */
function makeHeaders(byType: Map<string, Headers>, request: Request, contentType: string, isStream: boolean): Headers {
  const headers = new Headers({
    ...corsHeaders(request),
    ...(isStream && EVENT_STREAM_HEADERS),
    "content-type": contentType,
  });
  if (byType.size >= MAX_TYPES) byType.clear();
  byType.set(contentType, headers);
  return headers;
}

/** Percent-encodes characters that headers cannot contain. */
const asHeader = (text: string): string => text.toWellFormed().replace(/[^\x20-\x7e]+/g, encodeURIComponent);
