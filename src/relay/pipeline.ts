import { DecodeError } from "../dialects/codec.ts";
import { answerHeaders } from "./answer-headers.ts";
import { type Answer, attempt } from "./attempt.ts";
import { AttemptFailure, clientErrorOf } from "./attempt-failure.ts";
import type { Call } from "./call.ts";
import { chooseChannel } from "./choose-channel.ts";
import { invalidRequest } from "./client-body.ts";
import type { RelayContext } from "./context.ts";
import { RelayError } from "./errors.ts";
import { EVENT_STREAM_HEADERS } from "./headers.ts";
import { reserve } from "./reserve.ts";
import { coolDownMs, isRetryable } from "./retry.ts";
import type { Choice, Tried } from "./scheduler/choose.ts";
import { fail, settle } from "./settle.ts";
import { StreamPump } from "./stream.ts";
import { OutputTally } from "./tally.ts";
import { answerWhole } from "./whole-answer.ts";

/**
 * One admitted call: reserve → choose channel → encode → send → stream back → settle → record. Another channel is tried
 * only until the client's first byte. Rejects RelayError; then nothing stays held.
 */
export async function relay(context: RelayContext, call: Call): Promise<Response> {
  const reserved = reserve(context, call);
  if (reserved) await reserved;
  let answer: Answer;
  try {
    context.userLimits.begin(call);
    answer = await tryChannels(context, call);
  } catch (error) {
    const told = call.clientLeft ? CLIENT_LEFT : relayErrorOf(context, call, error);
    fail(
      context,
      call,
      told,
      call.clientLeft ? "client_left" : call.attempts.length > 0 ? "upstream_failed" : "refused",
    );
    throw told;
  }
  switch (answer.kind) {
    case "whole":
      return answerWhole(context, call, answer.answer);
    case "bytes":
      return handOn(context, call, answer);
    case "stream":
      return streamBack(context, call, answer);
  }
}

async function tryChannels(context: RelayContext, call: Call): Promise<Answer> {
  const { caller } = call.admitted;
  const retries = caller.pinnedChannelId === null ? context.services.settings.get("RetryTimes") : 0;
  let tried: Tried | null = null;
  let last: AttemptFailure | null = null;
  for (let left = retries; ; left -= 1) {
    const choice = await chooseChannel(context, call, tried);
    if (!choice) throw last ? told(context, last) : noChannel(call);
    try {
      const answer = await attempt(context, call, choice);
      context.coolDown.succeeded(choice.channel.id, choice.key);
      if (call.conversation !== null) context.stickiness.keep(call.conversation, choice);
      return answer;
    } catch (error) {
      if (!(error instanceof AttemptFailure)) throw error;
      last = error;
      tried = note(context, tried, choice, error);
      const mayTry = error.overBudget || isRetryable({ status: error.mappedStatus, channelType: choice.channel.type });
      const again = left > 0 && !call.clientLeft && mayTry;
      if (!again) throw told(context, error);
    }
  }
}

/** Remembers a failure: the channel and key for this call, a cool-down for all, and what health makes of it. */
function note(context: RelayContext, tried: Tried | null, { channel, key }: Choice, failure: AttemptFailure): Tried {
  const all = tried ?? { channels: new Set(), keys: new Map() };
  all.channels.add(channel);
  const keys = all.keys.get(channel.id) ?? new Set();
  // A key that was refused stays refused; after a fault of the network or the server it may be tried again.
  if (failure.answered && failure.status < 500) all.keys.set(channel.id, keys.add(key));
  if (failure.status === 429) context.coolDown.start(channel.id, key, coolDownMs(failure.retryAfter, Date.now()));
  else if (failure.status >= 500) context.coolDown.failed(channel.id, key);
  if (failure.answered) context.health.report(channel, key, failure);
  context.metrics.upstreamFailed(channel.id, failure.status);
  return all;
}

/** What such a call costs is known from its request: it is charged before its bytes go by. */
async function handOn(
  context: RelayContext,
  call: Call,
  { response, contentType }: Extract<Answer, { kind: "bytes" }>,
): Promise<Response> {
  call.firstByteMs = call.elapsedMs;
  const tally = new OutputTally();
  tally.other();
  const reported = call.admitted.endpoint.meter?.(call.admitted, null) ?? null;
  await settle(context, call, { ending: "complete", reported, tally });
  return new Response(response.body, { headers: answerHeaders(call, contentType) });
}

function streamBack(context: RelayContext, call: Call, answer: Extract<Answer, { kind: "stream" }>): Response {
  call.firstByteMs = call.elapsedMs;
  const { streamType } = call.admitted.endpoint.codec;
  const headers = { ...answerHeaders(call, ""), ...EVENT_STREAM_HEADERS, "content-type": streamType };
  const pump = new StreamPump(context, call, answer);
  if (call.clientLeft) pump.cancel();
  // The DOM's types do not know the runtime's direct streams, which write to the socket without a queue between.
  return new Response(new ReadableStream(pump as unknown as UnderlyingDefaultSource<Uint8Array>), { headers });
}

const told = ({ services }: RelayContext, failure: AttemptFailure): RelayError =>
  clientErrorOf(failure, services.settings.get("global.hide_upstream_error_enabled"));

const CLIENT_LEFT = new RelayError(499, "client_left", "The client closed its connection.");

const noChannel = ({ admitted }: Call): RelayError =>
  new RelayError(
    503,
    "model_not_available",
    `No channel can serve the model “${admitted.summary.model}” in the group “${admitted.caller.group}” at the moment.`,
  );

function relayErrorOf(context: RelayContext, call: Call, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return error instanceof DecodeError ? invalidRequest(error.message, error.param) : unforeseen(context, call, error);
}

function unforeseen(context: RelayContext, call: Call, error: unknown): RelayError {
  context.services.log.error({ error, requestId: call.requestId }, "a call failed inside the gateway");
  return new RelayError(500, "internal_error", "Something went wrong inside the gateway.");
}
