import { DecodeError } from "../formats/conversation/codec.ts";
import type { JsonObject } from "../formats/json.ts";
import { OutputTally } from "./billing/output-meter.ts";
import { reserve } from "./billing/reserve.ts";
import { fail, settle } from "./billing/settle.ts";
import type { Call } from "./call/call.ts";
import type { RelayContext } from "./call/context.ts";
import { RelayError } from "./call/errors.ts";
import { openCall } from "./call/live-call.ts";
import { invalidRequest } from "./http/client-body.ts";
import { CLIENT_LEFT } from "./http/client-presence.ts";
import { answerTo } from "./http/response-headers.ts";
import { tryChannels } from "./routing/try-channels.ts";
import { noted } from "./state/files/follow.ts";
import type { KeptObject } from "./state/files/store.ts";
import { chargeLater } from "./state/responses/background.ts";
import { BackgroundView } from "./state/responses/background-view.ts";
import { answerWhole } from "./streaming/send-response.ts";
import { StreamPump } from "./streaming/stream-pump.ts";
import { type Answer, attempt } from "./upstream/attempt.ts";

/**
 * One admitted call: reserve → choose channel → encode → send → stream back → settle → record. Another channel is tried
 * only until the client's first byte. Rejects RelayError; then nothing stays held.
 */
export async function relay(context: RelayContext, call: Call): Promise<Response> {
  const { feed } = context.services;
  const reserved = reserve(context, call);
  if (reserved) await reserved;
  let answer: Answer;
  try {
    context.userLimits.begin(call);
    if (feed.isWatched) feed.tell(openCall(call));
    answer = await tryChannels(context, call, (choice) => attempt(context, call, choice));
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
      return await answerWhole(context, call, answer.answer);
    case "bytes":
      return handOn(context, call, answer);
    case "stream":
      return answer.running ? streamRunning(context, call, answer, answer.running) : streamBack(context, call, answer);
  }
}

/** A response in the background is remembered before its stream begins, and charged when it is over, not with this call. */
async function streamRunning(
  context: RelayContext,
  call: Call,
  answer: Extract<Answer, { kind: "stream" }>,
  running: JsonObject,
): Promise<Response> {
  const { log } = context.services;
  let kept: KeptObject | null;
  try {
    kept = await chargeLater(context, call, running);
  } catch (error) {
    answer.exchange.abort();
    const told = relayErrorOf(context, call, error);
    fail(context, call, told, "refused");
    throw told;
  }
  const object = kept;
  const view = new BackgroundView(answer.view, (response) => {
    if (!object) return;
    noted(context, object, response).catch((error) => {
      log.warn({ error, responseId: object.id }, "a response will be charged when it is looked at again");
    });
  });
  return streamBack(context, call, { ...answer, view });
}

/** What such a call costs is known from its request: it is charged before its bytes go by. */
async function handOn(
  context: RelayContext,
  call: Call,
  { body, contentType }: Extract<Answer, { kind: "bytes" }>,
): Promise<Response> {
  call.firstByteMs = call.elapsedMs;
  const tally = new OutputTally();
  tally.other();
  const reported = call.admitted.endpoint.meter?.(call.admitted, null, call.price) ?? null;
  await settle(context, call, { ending: "complete", reported, tally });
  return answerTo(call, body, contentType, false);
}

function streamBack(context: RelayContext, call: Call, answer: Extract<Answer, { kind: "stream" }>): Response {
  call.firstByteMs = call.elapsedMs;
  const { streamType } = call.admitted.endpoint.codec;
  const pump = new StreamPump(context, call, answer);
  if (call.clientLeft) pump.cancel();
  // The DOM's types do not know the runtime's direct streams, which write to the socket without a queue between.
  const stream = new ReadableStream(pump as unknown as UnderlyingDefaultSource<Uint8Array>);
  return answerTo(call, stream, streamType, true);
}

/** What the client is told of whatever went wrong in a call. */
export function relayErrorOf(context: RelayContext, call: Call, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return error instanceof DecodeError ? invalidRequest(error.message, error.param) : unforeseen(context, call, error);
}

function unforeseen(context: RelayContext, call: Call, error: unknown): RelayError {
  context.services.log.error({ error, requestId: call.requestId }, "a call failed inside the gateway");
  return new RelayError(500, "internal_error", "Something went wrong inside the gateway.");
}
