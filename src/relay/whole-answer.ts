import type { Usage } from "../billing/types.ts";
import { EVENT_STREAM_HEADERS } from "../lib/sse.ts";
import { answerHeaders, overheadOf } from "./answer-headers.ts";
import type { Call } from "./call.ts";
import type { RelayContext } from "./context.ts";
import type { WholeAnswer } from "./passages/passage.ts";
import { chargeLater } from "./responses/background.ts";
import { settle } from "./settle.ts";

/**
 * Charges a complete answer and hands it to the client; as a stream where one was asked for. Awaits nothing where the
 * upstream told what it used.
 */
export function answerWhole(context: RelayContext, call: Call, answer: WholeAnswer): Response | Promise<Response> {
  const { running } = answer;
  const { stream } = call.admitted.summary;
  call.firstByteMs = stream ? call.elapsedMs : null;
  // The figures of the call are taken when it is charged, before its headers are written.
  call.overheadMs = overheadOf(call);
  if (running) return chargeLater(context, call, running).then(() => charge(context, call, answer));
  return charge(context, call, answer);
}

function charge(context: RelayContext, call: Call, answer: WholeAnswer): Response | Promise<Response> {
  const settled = settle(context, call, {
    ending: call.clientLeft ? "client_left" : "complete",
    reported: answer.reported,
    drained: call.clientLeft,
    tally: answer.tally,
  });
  return settled instanceof Promise
    ? settled.then((billed) => responseOf(call, answer, billed))
    : responseOf(call, answer, settled);
}

function responseOf(call: Call, { body, contentType }: WholeAnswer, billed: Usage): Response {
  const headers = answerHeaders(call, contentType);
  return new Response(typeof body === "function" ? body(billed) : body, {
    headers: call.admitted.summary.stream
      ? { ...headers, ...EVENT_STREAM_HEADERS, "content-type": contentType }
      : headers,
  });
}
