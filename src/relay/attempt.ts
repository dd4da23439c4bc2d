import type { Attempt } from "../billing/types.ts";
import type { ChannelEntry } from "../channels/entry.ts";
import { upstreamModelOf } from "../channels/upstream-model.ts";
import { type JsonObject, parseJson, recordOf } from "../dialects/json.ts";
import { isErrorAnswer } from "../dialects/openai-chat/error.ts";
import { carriesData, errorEventIn } from "../dialects/openai-chat/stream.ts";
import { indexOfBytes, textOfBytes } from "../lib/bytes.ts";
import { wholeEventsLength } from "../lib/sse.ts";
import { providerOf } from "../providers/registry.ts";
import { AttemptFailure, notAnswered, refusedByUpstream } from "./attempt-failure.ts";
import { drains } from "./broken-stream.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import { encode } from "./encode.ts";
import { Exchange } from "./exchange.ts";
import type { Choice } from "./scheduler/choose.ts";

/** What an upstream answered, as far as it must be known before the client gets its first byte. */
export type Answer =
  | Readonly<{ kind: "whole"; body: Uint8Array<ArrayBuffer>; contentType: string }>
  /** A stream was asked for, a complete reply came. */
  | Readonly<{ kind: "unstreamed"; reply: JsonObject }>
  | OpenStream;

export type OpenStream = Readonly<{
  kind: "stream";
  channel: ChannelEntry;
  exchange: Exchange;
  reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Bytes read so far: at least one whole event, then perhaps the beginning of another. */
  first: Uint8Array;
  /** The upstream has ended already. */
  ended: boolean;
}>;

/** Tries one channel. Rejects AttemptFailure; the call's list of attempts tells how it went either way. */
export async function attempt(context: RelayContext, call: Call, choice: Choice): Promise<Answer> {
  const { channel } = choice;
  const startMs = call.elapsedMs;
  const entry: Attempt = {
    channelId: channel.id,
    channelName: channel.name,
    status: 0,
    startMs: Math.round(startMs),
    firstByteMs: null,
    endMs: 0,
  };
  call.attempts.push(entry);
  const exchange = new Exchange(context.watch, context.services.config.relayTimeoutMs);
  call.stop = () => {
    if (!drains(channel)) exchange.stop("client_left");
  };
  try {
    return await exchangeWith(context, call, choice, exchange, entry);
  } catch (cause) {
    const failure = cause instanceof AttemptFailure ? cause : failureOf(choice, exchange, cause);
    if (failure.answered) entry.status = failure.status;
    entry.error = failure.detail;
    throw failure;
  } finally {
    exchange.answered();
    call.waitedMs += call.elapsedMs - startMs;
    entry.endMs = Math.round(call.elapsedMs);
  }
}

function failureOf({ channel, key }: Choice, exchange: Exchange, cause: unknown): AttemptFailure {
  return notAnswered(channel, key, exchange.stopped === "first_byte_timeout" ? "timeout" : "unreachable", cause);
}

async function exchangeWith(
  context: RelayContext,
  call: Call,
  { channel, key }: Choice,
  exchange: Exchange,
  entry: Attempt,
): Promise<Answer> {
  const { endpoint, candidates, summary } = call.admitted;
  const provider = providerOf(channel.type);
  if (!provider?.capabilities.includes(endpoint.capability)) throw notAnswered(channel, key, "unsupported");
  call.channel = channel;
  call.keyIndex = channel.keys.indexOf(key);
  call.upstreamModel = upstreamModelOf(channel, summary.model, candidates.model);
  const passThrough = context.services.settings.get("global.pass_through_request_enabled");
  const outgoing = encode(call, channel, key, provider, passThrough);
  const response = await context.upstream.send(outgoing, exchange.signal);
  entry.status = response.status;
  if (!response.ok) {
    const body = await response.text();
    throw refusedByUpstream(channel, key, response.status, body, response.headers.get("retry-after"));
  }
  const contentType = response.headers.get("content-type") ?? "application/json";
  if (summary.stream && !contentType.startsWith("application/json")) {
    return openStream(call, response, { channel, key }, exchange, entry);
  }
  const body = await response.bytes();
  entry.firstByteMs = Math.round(call.elapsedMs);
  if (body.byteLength === 0) throw notAnswered(channel, key, "empty");
  refuseErrorAnswer(body, { channel, key });
  if (!summary.stream) return { kind: "whole", body, contentType };
  const reply = recordOf(parseJson(textOfBytes(body)));
  if (!reply) throw notAnswered(channel, key, "broken");
  return { kind: "unstreamed", reply };
}

const ERROR_MEMBER = Buffer.from('"error"');

/** An error object inside an answer with status 200 is a failure of the upstream all the same. */
function refuseErrorAnswer(body: Uint8Array<ArrayBuffer>, { channel, key }: Choice): void {
  if (indexOfBytes(body, ERROR_MEMBER) < 0) return;
  const text = textOfBytes(body);
  if (isErrorAnswer(parseJson(text))) throw refusedByUpstream(channel, key, 502, text, null);
}

/** Reads until the first event is understood, so that an early failure can still be answered, or tried elsewhere. */
async function openStream(
  call: Call,
  response: Response,
  { channel, key }: Choice,
  exchange: Exchange,
  entry: Attempt,
): Promise<OpenStream> {
  const reader = response.body?.getReader();
  if (!reader) throw notAnswered(channel, key, "empty");
  let first: Uint8Array = new Uint8Array(0);
  for (;;) {
    const { value, done } = await reader.read();
    if (value) {
      entry.firstByteMs ??= Math.round(call.elapsedMs);
      first = first.length === 0 ? value : Buffer.concat([first, value]);
    }
    const length = done ? first.length : wholeEventsLength(first);
    const whole = length === first.length ? first : first.subarray(0, length);
    if (carriesData(whole)) {
      const error = errorEventIn(whole);
      if (error !== null) {
        exchange.abort();
        throw refusedByUpstream(channel, key, 502, error, null);
      }
      return { kind: "stream", channel, exchange, reader, first, ended: done };
    }
    if (done) throw notAnswered(channel, key, "empty");
  }
}
