import type { Attempt } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import { carriesData } from "../../formats/openai-chat/response/stream.ts";
import { withoutKeepAlives } from "../../lib/json-body.ts";
import type { Passage, StreamView, WholeAnswer } from "../adapters/adapter.ts";
import { isHtml } from "../adapters/recognize-response.ts";
import { choosePassage } from "../adapters/select-adapter.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError, shuttingDown } from "../call/errors.ts";
import { refuseIfClientLeft } from "../http/client-presence.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { drains } from "../streaming/broken-stream.ts";
import { EventBuffer } from "../streaming/event-buffer.ts";
import { framed } from "../streaming/framing.ts";
import { mends } from "./adapt-after-rejection.ts";
import { AttemptFailure, failureKind, notAnswered, refusedByUpstream } from "./attempt-failure.ts";
import { aimCall, beginAttempt } from "./bind-channel.ts";
import { encode } from "./build-request.ts";
import { Exchange } from "./exchange.ts";
import {
  type ByteReader,
  bodyLimits,
  openBody,
  ResponseTooLargeError,
  readBody,
  readErrorText,
  readerOf,
} from "./read-body.ts";
import type { Outgoing } from "./upstream.ts";

/** What an upstream answered, as far as it must be known before the client gets its first byte. */
export type Answer =
  | Readonly<{ kind: "whole"; answer: WholeAnswer }>
  /** Sound or the like, which is handed on as it comes. */
  | Readonly<{ kind: "bytes"; body: ReadableStream<Uint8Array>; contentType: string }>
  | OpenStream;

export type OpenStream = Readonly<{
  kind: "stream";
  channel: ChannelEntry;
  exchange: Exchange;
  view: StreamView;
  reader: ByteReader;
  /** Bytes read so far: at least one whole event, then perhaps the beginning of another. */
  first: Uint8Array;
  /** The upstream has ended already. */
  ended: boolean;
  /** The response in the background that the stream is about; null: it is an answer like others. */
  running: JsonObject | null;
}>;

/** Tries one channel. Rejects AttemptFailure; the call's list of attempts tells how it went either way. */
export const attempt = (context: RelayContext, call: Call, choice: Choice): Promise<Answer> => {
  const budgetMs = firstByteBudgetMs(choice.channel);
  const exchange = new Exchange(context.watch, budgetMs ?? context.services.config.relayTimeoutMs);
  call.stop = () => {
    if (!drains(choice.channel)) exchange.stop("client_left");
  };
  return underWatch(context, call, choice, exchange, budgetMs !== null, (entry) =>
    exchangeWith(context, call, choice, exchange, entry),
  );
};

/**
 * Runs an exchange with one channel, and keeps how it went: in the call's list of attempts, for the scheduler and for the
 * channel's health. Rejects AttemptFailure. With `hasBudget` the exchange's time is the channel's own.
 */
export async function underWatch<Result>(
  context: RelayContext,
  call: Call,
  choice: Choice,
  exchange: Exchange,
  hasBudget: boolean,
  work: (entry: Attempt) => Promise<Result>,
): Promise<Result> {
  const { channel } = choice;
  const startMs = call.elapsedMs;
  const entry = beginAttempt(call, choice, startMs);
  context.coolDown.begin(channel.id, choice.key);
  context.traffic.begin(channel.id, choice.key);
  let failed: boolean | null = null;
  try {
    const answer = await work(entry);
    failed = false;
    return answer;
  } catch (thrown) {
    const cause = exchange.stopped === "shutdown" ? shuttingDown() : thrown;
    exchange.abort();
    if (cause instanceof DecodeError || cause instanceof RelayError) {
      entry.error = cause.message;
      throw cause;
    }
    const failure = cause instanceof AttemptFailure ? cause : failureOf(choice, exchange, cause, hasBudget);
    if (failure.answered) entry.status = failure.status;
    entry.error = failure.detail;
    // What a client asked for wrongly, or did not wait for, says nothing of the upstream.
    failed = call.clientLeft || (failure.answered && isClientsFault(failure.status)) ? null : true;
    throw failure;
  } finally {
    const endMs = call.elapsedMs;
    const waitedMs = endMs - startMs;
    context.traffic.end(channel.id, choice.key, failed, waitedMs);
    call.waitedMs += waitedMs;
    entry.endMs = Math.round(endMs);
  }
}

const isClientsFault = (status: number): boolean => status === 400 || status === 413 || status === 422;

function failureOf({ channel, key }: Choice, exchange: Exchange, cause: unknown, hasBudget: boolean): AttemptFailure {
  const isLate = exchange.stopped === "first_byte_timeout";
  return notAnswered(channel, key, failureKind(exchange, cause), cause, isLate && hasBudget);
}

/** The channel's own limit on the time to the first byte (setting `first_byte_timeout_seconds`); null: the general one. */
function firstByteBudgetMs({ setting }: ChannelEntry): number | null {
  const seconds = Number(setting.first_byte_timeout_seconds ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}

async function exchangeWith(
  context: RelayContext,
  call: Call,
  choice: Choice,
  exchange: Exchange,
  entry: Attempt,
): Promise<Answer> {
  const { channel, key } = choice;
  const { endpoint, summary } = call.admitted;
  const asksSummaries = !context.withoutSummaries.has(channel);
  const provider = aimCall(call, choice);
  const passage = choosePassage(context, call, channel, provider, key);
  const encoded = passage.encode(channel);
  const request = encoded instanceof Promise ? await encoded : encoded;
  refuseLoss(call);
  const encodedCall = encode(context, call, request, channel, key, provider);
  const outgoing = encodedCall instanceof Promise ? await encodedCall : encodedCall;
  refuseIfClientLeft(call);
  const response = await context.upstream.send(outgoing, exchange);
  entry.status = response.status;
  if (!response.ok) {
    const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
    const told = passage.readError(response.status, text);
    if (mends(context, choice, { provider, ask: request.ask, asksSummaries }, response.status, told)) {
      exchange.expectHead();
      return exchangeWith(context, call, choice, exchange, entry);
    }
    throw refusedByUpstream(channel, key, told.status ?? response.status, told, response.headers.get("retry-after"));
  }
  const contentType = response.headers.get("content-type") ?? "application/json";
  const framing = request.ask.capability === "chat" ? provider.framing : undefined;
  // An upstream that only streams is gathered for a client that wants a whole answer.
  const gathers = request.ask.stream && request.ask.capability === "chat" && !summary.stream;
  if (request.ask.stream && !gathers && (framing || !contentType.startsWith("application/json"))) {
    const reader = readerOf(
      framing ? framed(response, framing, context.services.config.maxResponseBodyBytes) : response.body,
    );
    return openStream(context, call, reader, passage, choice, exchange, entry);
  }
  if (endpoint.capability === "speech" && !contentType.startsWith("application/json")) {
    const body = await openBody(response, exchange, context.services.config.streamingTimeoutMs);
    if (!body) throw notAnswered(channel, key, "empty");
    if (isHtml(body.first, contentType)) {
      exchange.abort();
      throw notAnswered(channel, key, "invalid");
    }
    entry.firstByteMs = Math.round(call.elapsedMs);
    return { kind: "bytes", body: body.stream, contentType };
  }
  const gathered =
    gathers && framing
      ? new Response(framed(response, framing, context.services.config.maxResponseBodyBytes))
      : response;
  const bytes = await readBody(gathered, exchange, bodyLimits(context));
  const announced = contentType.includes("json") ? withoutKeepAlives(bytes) : bytes;
  const body = passage.follow
    ? await passage.follow(announced, polling(context, choice, exchange, passage, outgoing))
    : announced;
  entry.firstByteMs = Math.round(call.elapsedMs);
  if (body.byteLength === 0) throw notAnswered(channel, key, "empty");
  const error = passage.errorIn(body);
  if (error !== null) {
    const failure = refusedInside(channel, key, passage, error);
    if (failure.status === 401 && provider.forgetToken?.(key)) {
      exchange.expectHead();
      return exchangeWith(context, call, choice, exchange, entry);
    }
    throw failure;
  }
  const answer = summary.stream ? passage.wholeAsStream(body) : passage.whole(body, contentType);
  if (!answer) throw notAnswered(channel, key, "invalid");
  return { kind: "whole", answer };
}

/** Reads a URL of the same upstream, for jobs whose result is fetched later. */
function polling(
  context: RelayContext,
  { channel, key }: Choice,
  exchange: Exchange,
  passage: Passage,
  { headers, proxy }: Outgoing,
) {
  return async (url: string): Promise<Uint8Array<ArrayBuffer>> => {
    exchange.expectHead();
    const response = await context.upstream.send({ method: "GET", url, headers, body: "", proxy }, exchange);
    if (response.ok) return readBody(response, exchange, bodyLimits(context));
    const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
    const error = passage.readError(response.status, text);
    throw refusedByUpstream(channel, key, response.status, error, response.headers.get("retry-after"));
  };
}

/** An error inside an answer with status 200. */
function refusedInside(channel: ChannelEntry, key: string, passage: Passage, error: string): AttemptFailure {
  const status = passage.statusOf(error);
  return refusedByUpstream(channel, key, status, passage.readError(status, error), null);
}

/** A client, or its key, may ask to be refused rather than misunderstood (header `X-Sluice-Strict`). */
function refuseLoss({ admitted, dropped }: Call): void {
  if (dropped.length === 0) return;
  if (!admitted.caller.token?.strict && !isOn(admitted.request.headers.get("x-sluice-strict"))) return;
  const names = dropped.join(", ");
  throw new RelayError(400, "unsupported_parameters", `The upstream of this model cannot express: ${names}.`, {
    type: "invalid_request_error",
    param: dropped[0] ?? "",
  });
}

const isOn = (header: string | null): boolean =>
  header !== null && header !== "" && header !== "0" && header !== "false";

/** Reads until the first event is understood, so that an early failure can still be answered, or tried elsewhere. */
async function openStream(
  context: RelayContext,
  call: Call,
  reader: ByteReader | null,
  passage: Passage,
  { channel, key }: Choice,
  exchange: Exchange,
  entry: Attempt,
): Promise<OpenStream> {
  if (!reader) throw notAnswered(channel, key, "empty");
  const { maxBytes, idleMs } = bodyLimits(context);
  // A channel's own limit counts until the first event, the general one until the head.
  if (firstByteBudgetMs(channel) === null) exchange.expectBody(idleMs);
  const events = new EventBuffer();
  /** Whole events so far, none of which holds any of an answer. */
  const skipped: Uint8Array[] = [];
  let hasData = false;
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    exchange.progressed();
    if (value) {
      entry.firstByteMs ??= Math.round(call.elapsedMs);
      bytes += value.length;
    }
    const latest = value ? events.push(value) : NOTHING;
    const block = done ? Buffer.concat([latest, events.takePending()]) : latest;
    if (carriesData(block)) {
      hasData = true;
      const error = passage.errorInEvents(block);
      if (error !== null) {
        exchange.abort();
        throw refusedInside(channel, key, passage, error);
      }
    }
    if (hasData && passage.answersIn(block)) {
      const running = passage.runningIn?.(block) ?? null;
      const whole = skipped.length === 0 ? block : Buffer.concat([...skipped, block]);
      exchange.endTimeouts();
      const first = events.pendingBytes === 0 ? whole : Buffer.concat([whole, events.takePending()]);
      return { kind: "stream", channel, exchange, view: passage.view(), reader, first, ended: done, running };
    }
    if (done) throw notAnswered(channel, key, hasData ? "invalid" : "empty");
    if (block.length > 0) skipped.push(block);
    if (bytes > maxBytes) {
      exchange.abort();
      throw new ResponseTooLargeError();
    }
  }
}

const NOTHING = new Uint8Array(0);
