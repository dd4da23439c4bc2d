import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Usage } from "../../formats/conversation/reply.ts";
import type { JsonObject } from "../../formats/json.ts";
import { DATA_FIELD } from "../../lib/http/sse.ts";
import { isBlank } from "../../lib/values/bytes.ts";
import { framingOf, type PollRequest } from "../../providers/contract/chat.ts";
import type { CallParams, Rejection } from "../../providers/contract/provider.ts";
import { isText } from "../../providers/shared/recognize-response.ts";
import type { Call } from "../call/call.ts";
import type { Route } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { OutputMeter } from "../money/output-meter.ts";
import type { AdaptedRequest, Adapter, CompleteResponse, Outcome, StreamView } from "./adapter.ts";
import type { RunningAttempt } from "./attempt.ts";
import { type AttemptFailure, noResponse, rejectedByUpstream } from "./attempt-failure.ts";
import { EventBuffer, toEventStream } from "./event-buffer.ts";
import {
  type ByteReader,
  type Exchange,
  openBody,
  ResponseTooLargeError,
  readBody,
  readErrorText,
} from "./exchange.ts";
import { retryAfterIn } from "./keys/cool-down.ts";
import { signRequest } from "./route.ts";
import type { Outgoing, UpstreamTools } from "./upstream.ts";

/** What these functions work with. */
export type ReceiveContext = Uses<"config"> & Pick<CallTools, "catalog"> & Pick<UpstreamTools, "signing" | "upstream">;

/** A received response, read as far as needed before the client gets its first byte. */
export type Received =
  | Readonly<{ kind: "complete"; response: CompleteResponse; outcome?: () => Outcome }>
  /** Audio and similar data, forwarded while it arrives. */
  | Readonly<{ kind: "bytes"; body: ReadableStream<Uint8Array>; contentType: string }>
  | OpenStream;

/** A response, and the channel that gave it, by which the call is charged. */
export type Answer = Received & Readonly<{ route: Route }>;

export type OpenStream = Readonly<{
  kind: "stream";
  channel: ChannelEntry;
  exchange: Exchange;
  view: StreamView;
  reader: ByteReader;
  /** Bytes read so far: at least one complete event, then perhaps the beginning of another. */
  first: Uint8Array;
  /** The upstream has already ended. */
  ended: boolean;
  /** The background response of the stream; null for ordinary responses. */
  background: JsonObject | null;
  /** Judges the complete events so far. */
  outcome?: ((events: Uint8Array) => Outcome) | undefined;
}>;

/** Receives a response. Null: the request is worth adapting and resending once. Rejects AttemptFailure. */
export async function receive(
  context: ReceiveContext,
  call: Call,
  attempt: RunningAttempt,
  request: AdaptedRequest,
  response: Response,
): Promise<Received | null> {
  if (!response.ok) return attempt.rejected(response, request);
  const contentType = response.headers.get("content-type") ?? "application/json";
  const isAudio = call.endpoint.capability === "speech" || call.endpoint.capability === "songs";
  const { config } = context.services;
  if (!request.ask.stream && !isAudio) {
    const body = await readBody(response, attempt.exchange, config);
    return readComplete(context, call, attempt, request, body, contentType);
  }
  const { provider } = attempt.route;
  const { maxResponseBodyBytes } = config;
  const { stream, capability } = request.ask;
  const isJson = contentType.startsWith("application/json");
  const framed = capability === "chat" && provider.chat?.streaming.framing ? provider.chat : null;
  const framing = framed && framingOf(framed, request.ask.dialect);
  // If the upstream only streams, the stream is collected for a client that wants a complete response.
  const gathers = stream && ((capability === "chat" && !call.summary.stream) || request.adapter.gathersStream === true);
  if (stream && !gathers && (framing || !isJson)) {
    const body = framing ? toEventStream(response, framing, maxResponseBodyBytes) : response.body;
    return openStream(context, call, attempt, request, body?.getReader() ?? null);
  }
  if (isAudio && !isJson) {
    const readsAll = call.endpoint.wrapAudio || call.endpoint.measures?.(call, attempt.route.price);
    const read = readsAll ? readAudio : openBytes;
    return read(context, call, attempt, response, contentType);
  }
  const gathered = gathers && framing ? new Response(toEventStream(response, framing, maxResponseBodyBytes)) : response;
  const body = await readBody(gathered, attempt.exchange, config);
  return readComplete(context, call, attempt, request, body, contentType);
}

async function openBytes(
  context: Uses<"config">,
  call: Call,
  { route, exchange, entry }: RunningAttempt,
  response: Response,
  contentType: string,
): Promise<Received> {
  const { channel, key } = route;
  const body = await openBody(response, exchange, context.services.config.streamingTimeoutMs);
  if (!body) throw noResponse(channel, key, "empty");
  if (isText(body.first, contentType)) {
    exchange.abort();
    throw noResponse(channel, key, "invalid");
  }
  entry.firstByteMs = Math.round(performance.now() - call.progress.timing.startedAtMs);
  return { kind: "bytes", body: body.stream, contentType };
}

/** Reads audio to its end, where its length decides the charge or the client expects it inside another response. */
async function readAudio(
  context: Uses<"config"> & Pick<CallTools, "catalog">,
  call: Call,
  { route, exchange, entry }: RunningAttempt,
  response: Response,
  contentType: string,
): Promise<Received> {
  const { channel, key, price } = route;
  const { endpoint, body: request } = call;
  const body = await readBody(response, exchange, context.services.config);
  entry.firstByteMs = Math.round(performance.now() - call.progress.timing.startedAtMs);
  if (body.byteLength === 0) throw noResponse(channel, key, "empty");
  if (isText(body, contentType)) throw noResponse(channel, key, "invalid");
  let answer: JsonObject | null = null;
  if (endpoint.measures?.(call, price)) {
    // Loaded with the first song whose length is not known before.
    const { audioSeconds } = await import("../../lib/values/audio-duration.ts");
    answer = { duration: await audioSeconds(new Blob([body])) };
  }
  const reported = endpoint.meter?.(call, answer, price, context.catalog()) ?? null;
  const meter = new OutputMeter();
  meter.other();
  const content = endpoint.wrapAudio?.({ body, contentType }, request.json) ?? { body, contentType };
  return { kind: "complete", response: { ...content, reported, meter } };
}

/** Reads a response whose body is complete. */
async function readComplete(
  context: Uses<"config"> & Pick<UpstreamTools, "signing" | "upstream">,
  call: Call,
  attempt: RunningAttempt,
  request: AdaptedRequest,
  bytes: Buffer<ArrayBuffer>,
  contentType: string,
): Promise<Received | null> {
  const { route, entry } = attempt;
  const { channel, key } = route;
  const { adapter } = request;
  const isPadded = contentType.includes("json") && !BRACKETS.has(bytes[0]);
  const trimmed = isPadded ? withoutKeepAlives(bytes) : bytes;
  const body = adapter.awaitResult
    ? await adapter.awaitResult(trimmed, createPolling(context, attempt, request))
    : trimmed;
  entry.firstByteMs = Math.round(performance.now() - call.progress.timing.startedAtMs);
  if (body.byteLength === 0) throw noResponse(channel, key, "empty");
  const error = adapter.findError(body);
  if (error !== null) {
    if (attempt.adaptsTo(rejectionIn(attempt, adapter, request.ask, error))) return null;
    throw errorWithGoodStatus(attempt, adapter, error);
  }
  const complete = call.summary.stream
    ? adapter.synthesizeStream(body, contentType)
    : adapter.readResponse(body, contentType);
  if (!complete) throw noResponse(channel, key, "invalid");
  return { kind: "complete", response: complete, outcome: () => adapter.outcomeOf?.(body) ?? "answered" };
}

/** Asks the same upstream for the state of a job whose result comes later. */
function createPolling(
  context: Uses<"config"> & Pick<UpstreamTools, "signing" | "upstream">,
  { route, exchange, requestText }: RunningAttempt,
  { adapter, outgoing: { headers, proxy } }: AdaptedRequest,
) {
  return async (poll: PollRequest): Promise<Buffer<ArrayBuffer>> => {
    exchange.expectHead();
    const request: Outgoing =
      typeof poll === "string"
        ? { method: "GET", url: poll, headers, body: "", proxy }
        : await signRequest(context, { ...poll, headers, proxy }, route);
    const response = await context.upstream.send(request, exchange);
    if (response.ok) return readBody(response, exchange, context.services.config);
    const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
    const error = adapter.readError(response.status, text);
    const retryAfter = retryAfterIn(response.headers, Date.now());
    throw rejectedByUpstream(route, { status: response.status, error, retryAfter, requestText });
  };
}

function rejectionIn(
  { route: { key } }: RunningAttempt,
  adapter: Adapter,
  params: CallParams,
  text: string,
): Rejection {
  const status = adapter.statusOf(text);
  return { status, error: adapter.readError(status, text), params, key };
}

/** An error inside a response with status 200. */
function errorWithGoodStatus({ route, requestText }: RunningAttempt, adapter: Adapter, text: string): AttemptFailure {
  const status = adapter.statusOf(text);
  return rejectedByUpstream(route, { status, error: adapter.readError(status, text), requestText });
}

/**
 * Reads until the first event is decoded, so that an early failure can still become an error response or a retry. Null: the
 * request is worth adapting and resending once.
 */
async function openStream(
  context: Uses<"config"> & Pick<UpstreamTools, "signing" | "upstream">,
  call: Call,
  attempt: RunningAttempt,
  request: AdaptedRequest,
  reader: ByteReader | null,
): Promise<Received | null> {
  const { adapter, ask } = request;
  const { route, exchange, entry } = attempt;
  const { channel, key } = route;
  if (!reader) throw noResponse(channel, key, "empty");
  const { maxResponseBodyBytes, streamingTimeoutMs } = context.services.config;
  // A channel's own limit lasts until the first event, the general one until the headers.
  if (!attempt.hasBudget) exchange.expectBody(streamingTimeoutMs);
  const events = new EventBuffer();
  /** Complete events so far, none of which contains any part of a response. */
  const skipped: Uint8Array[] = [];
  let hasData = false;
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    exchange.progressed();
    if (value) {
      entry.firstByteMs ??= Math.round(performance.now() - call.progress.timing.startedAtMs);
      bytes += value.length;
    }
    const latest = value ? events.push(value) : NOTHING;
    const block = done ? Buffer.concat([latest, events.takePending()]) : latest;
    if (done) {
      const body = skipped.length === 0 ? block : Buffer.concat([...skipped, block]);
      // An upstream that does not stream although a stream was requested, whatever its media type says.
      if (isJson(body)) {
        exchange.end();
        return readComplete(context, call, attempt, request, Buffer.from(body), "application/json");
      }
    }
    if (block.includes(DATA_FIELD)) {
      hasData = true;
      const error = adapter.findStreamError(block);
      if (error !== null) {
        if (attempt.adaptsTo(rejectionIn(attempt, adapter, ask, error))) {
          await reader.cancel?.().catch(() => {});
          return null;
        }
        exchange.abort();
        attempt.usage = usageIn(adapter, Buffer.concat([...skipped, block]));
        throw errorWithGoodStatus(attempt, adapter, error);
      }
    }
    if (hasData && adapter.startsResponse(block)) {
      const running = adapter.findBackgroundResponse?.(block) ?? null;
      const buffered = skipped.length === 0 ? block : Buffer.concat([...skipped, block]);
      exchange.endTimeouts();
      const first = events.pendingBytes === 0 ? buffered : Buffer.concat([buffered, events.takePending()]);
      return {
        kind: "stream",
        channel,
        exchange,
        view: adapter.streamView(),
        reader,
        first,
        ended: done,
        background: running,
        outcome: running ? undefined : adapter.outcomeOf?.bind(adapter),
      };
    }
    if (done) {
      attempt.usage = usageIn(adapter, Buffer.concat([...skipped, block]));
      throw noResponse(channel, key, hasData ? "invalid" : "empty");
    }
    if (block.length > 0) skipped.push(block);
    if (bytes > maxResponseBodyBytes) {
      exchange.abort();
      throw new ResponseTooLargeError();
    }
  }
}

/** The usage that events report which contain no part of a response; null: none. */
function usageIn(adapter: Adapter, events: Buffer): Usage | null {
  const view = adapter.streamView();
  view.take(events);
  return view.usage;
}

function isJson(body: Uint8Array): boolean {
  let start = 0;
  while (start < body.length && isBlank(body[start])) start += 1;
  return BRACKETS.has(body[start]);
}

const NOTHING = Buffer.alloc(0);

const COLON = 58;
const LF = 10;
const BRACKETS: ReadonlySet<number | undefined> = new Set([91, 123]);

/**
 * Removes what servers send before a JSON body to keep the connection open: blank lines and comment lines of event
 * streams. A body without JSON is returned unchanged.
 */
function withoutKeepAlives(body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let at = 0;
  while (at < body.length) {
    if (isBlank(body[at])) at += 1;
    else if (body[at] === COLON) {
      const end = body.indexOf(LF, at);
      if (end < 0) return body;
      at = end + 1;
    } else break;
  }
  return at > 0 && BRACKETS.has(body[at]) ? body.subarray(at) : body;
}
