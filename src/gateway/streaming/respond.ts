import { ReplyCollector } from "../../formats/conversation/collect-reply.ts";
import { NO_USAGE } from "../../formats/conversation/reply.ts";
import type { JsonObject } from "../../formats/json.ts";
import { randomId } from "../../lib/http/request.ts";
import { EVENT_STREAM_HEADERS } from "../../lib/http/sse.ts";
import type { Call } from "../call/call.ts";
import type { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { OutputMeter } from "../money/output-meter.ts";
import type { Reservation } from "../money/reserve.ts";
import { type FailCallContext, failCall, type RecordRefusalContext, recordRefusal } from "../money/settle-call.ts";
import { toErrorObject, toGatewayError } from "../request/error-response.ts";
import { corsHeaders } from "../request/headers.ts";
import { respondWithError } from "../request/refuse.ts";
import { type ReadObjectsContext, storeObject } from "../state/files/read-objects.ts";
import { chargeLater } from "../state/responses/background.ts";
import { BackgroundView } from "../state/responses/background-view.ts";
import { storedFormatOf } from "../state/responses/stored-formats.ts";
import type { OpenStream, Received } from "../upstream/receive.ts";
import { type EndCall, StreamPump, type StreamPumpContext } from "./stream-pump.ts";

/** What these functions work with. */
export type RespondBackgroundContext = ReadObjectsContext & FailCallContext & StreamPumpContext;

/** The response to the client; `endCall` is called when it is complete. Rejects GatewayError. */
export async function respond<Context extends RespondBackgroundContext>(
  context: Context,
  call: Call,
  reserved: Reservation,
  received: Received,
  endCall: EndCall<Context>,
): Promise<Response> {
  if (received.kind === "bytes") return await respondBytes(context, call, reserved, received, endCall);
  if (received.kind === "stream") {
    return received.background
      ? await respondBackground(context, call, reserved, received, received.background, endCall)
      : respondStream(context, call, reserved, received, endCall);
  }
  const { background: running, reported, meter, body, contentType } = received.response;
  const { summary } = call;
  const { timing, client } = call.progress;
  if (summary.stream) timing.markFirstByte();
  // Measured before charging, because the log row contains it.
  timing.markOverhead();
  const owed = running ? (await chargeLater(context, call, reserved, running)).reserved : reserved;
  if (call.trace?.isRecording) call.trace.addPassed(typeof body === "function" ? body(reported ?? NO_USAGE) : body);
  const ending = client.hasLeft ? "client_left" : "complete";
  const billed = await endCall(context, call, owed, { ending, reported, drained: client.hasLeft, meter });
  const sent = typeof body === "function" ? body(billed) : body;
  const recording = call.progress.cache?.recording;
  recording?.add(sent);
  recording?.end();
  return responseTo(call, sent, contentType, summary.stream);
}

/** The cost of such a call follows from its request, so it is charged before the bytes are sent. */
async function respondBytes<Context extends Pick<CallTools, "catalog">>(
  context: Context,
  call: Call,
  reserved: Reservation,
  { body, contentType }: Extract<Received, { kind: "bytes" }>,
  endCall: EndCall<Context>,
): Promise<Response> {
  call.progress.timing.markFirstByte();
  const meter = new OutputMeter();
  meter.other();
  const reported = call.endpoint.meter?.(call, null, call.servedBy?.price ?? null, context.catalog()) ?? null;
  await endCall(context, call, reserved, { ending: "complete", reported, meter: meter });
  call.progress.cache?.recording?.end();
  return responseTo(call, body, contentType, false);
}

function respondStream<Context extends StreamPumpContext>(
  context: Context,
  call: Call,
  reserved: Reservation,
  source: OpenStream,
  endCall: EndCall<Context>,
): Response {
  call.progress.timing.markFirstByte();
  const pump = new StreamPump(context, call, reserved, source, endCall);
  if (call.progress.client.hasLeft) pump.cancel();
  // The DOM's types lack the runtime's direct streams, which write to the socket without a queue.
  const stream = new ReadableStream(pump as unknown as UnderlyingDefaultSource<Uint8Array>);
  return responseTo(call, stream, call.endpoint.codec.streamType, true);
}

/** Stores a background response before its stream begins; it is charged when it is complete, not with this call. */
async function respondBackground<Context extends RespondBackgroundContext>(
  context: Context,
  call: Call,
  reserved: Reservation,
  source: OpenStream,
  running: JsonObject,
  endCall: EndCall<Context>,
): Promise<Response> {
  const { log } = context.services;
  const later = await chargeLater(context, call, reserved, running).catch((error) => {
    source.exchange.abort();
    throw failCall(context, call, reserved, error);
  });
  const { object } = later;
  const view = new BackgroundView(
    source.view,
    storedFormatOf(call.endpoint.codec.dialect)?.member ?? "response",
    (response) => {
      if (!object) return;
      storeObject(context, object, response).catch((error) => {
        log.warn({ error, responseId: object.id }, "a response will be charged when it is looked at again");
      });
    },
  );
  return respondStream(context, call, later.reserved, { ...source, view }, endCall);
}

/** What an answer is given as. */
type ResponseBody = ConstructorParameters<typeof Response>[0];

/**
 * The response to a call with its headers; X-Sluice-Overhead-Ms is the gateway's own time up to its first byte.
 * `isStream`: the body is a stream of events.
 */
export function responseTo(call: Call, body: ResponseBody, contentType: string, isStream: boolean): Response {
  const overheadMs = call.progress.timing.markOverhead();
  const { cache } = call.progress;
  const dropped = call.servedBy?.dropped ?? cache?.dropped ?? NOTHING;
  const isWebsite = call.request.headers.has("origin");
  const isAnthropic = call.endpoint.codec.dialect === "anthropic";
  const byType = common[(isAnthropic ? 4 : 0) + (isWebsite ? 2 : 0) + (isStream ? 1 : 0)] as Map<string, Headers>;
  const headers = byType.get(contentType) ?? makeHeaders(byType, call.request, contentType, isStream);
  headers.set("x-request-id", call.requestId);
  // The header that Anthropic's SDKs read.
  if (isAnthropic) headers.set("request-id", call.requestId);
  headers.set("x-sluice-overhead-ms", overheadMs.toFixed(2));
  const hasFallenBack = call.fallbackFrom !== null;
  if (dropped.length === 0 && !hasFallenBack && !cache) return new Response(body, { headers });
  const own = new Headers(headers);
  if (dropped.length > 0) own.set("x-sluice-dropped", asHeader(dropped.join(", ")));
  if (cache) own.set("x-sluice-cache", cache.state);
  if (cache?.state === "hit") own.set("age", String(cache.ageSeconds));
  if (hasFallenBack) own.set("x-sluice-model", asHeader(call.summary.model));
  return new Response(body, { headers: own });
}

const NOTHING: readonly string[] = [];

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

/** The events of a stream that holds nothing but an error. */
export function errorEvents(
  { summary, endpoint, body, conversation, requestId, createdAt }: Call,
  error: GatewayError,
) {
  const { codec } = endpoint;
  const request = conversation?.() ?? codec.decodeRequest(body.json);
  const encoder = codec.streamEncoder({ model: summary.model, requestId, createdAt, newId: randomId }, request);
  return encoder.push({ type: "error", error: toErrorObject(error, codec.dialect) });
}

/** A refusal as the answer of a model, in the client's format; it has used nothing. */
function refusalAnswer(call: Call, message: string): Response {
  const { body, endpoint, conversation, summary, requestId, createdAt } = call;
  void body.form?.discard();
  const { codec } = endpoint;
  const request = conversation?.() ?? codec.decodeRequest(body.json);
  const about = { model: summary.model, requestId, createdAt, newId: randomId };
  const start = { type: "start", id: "", model: summary.model, createdAt } as const;
  const finish = { type: "finish", choice: 0, reason: "content_filter", native: null, message } as const;
  if (summary.stream) {
    const encoder = codec.streamEncoder(about, request);
    const events = encoder.push(start) + encoder.push(finish) + encoder.end(NO_USAGE);
    return responseTo(call, events, codec.streamType, true);
  }
  const collector = new ReplyCollector();
  for (const event of [start, finish, { type: "usage", usage: NO_USAGE } as const]) collector.push(event);
  return responseTo(call, JSON.stringify(codec.encodeReply(collector.reply, about, request)), JSON_TYPE, false);
}

const JSON_TYPE = "application/json";

/** Ends a call that failed without a response, and logs it if it was refused before it began. Returns the error's response in the client's format. */
export function refuseCall(
  context: Uses<"config" | "countRefusal" | "log" | "settings"> & RecordRefusalContext,
  call: Call,
  thrown: unknown,
): Response {
  call.progress.client.end(context.services.config.idleTimeoutSeconds);
  // Equal calls wait no longer.
  call.progress.cache?.recording?.end();
  const error = toGatewayError(context, thrown, call.requestId);
  recordRefusal(context, call, error);
  const { codec } = call.endpoint;
  if (error.isAnswer && call.endpoint.capability === "chat") return refusalAnswer(call, error.message);
  if (error.overflow && call.summary.stream && codec.overflowsInStream) {
    void call.body.form?.discard();
    return responseTo(call, errorEvents(call, error), codec.streamType, true);
  }
  return respondWithError(context, call.request, error, call.endpoint.codec, call.body);
}
