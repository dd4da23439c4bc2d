import type { WholeAnswer } from "../adapters/adapter.ts";
import { settle } from "../billing/settle.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { answerTo, overheadOf } from "../http/response-headers.ts";
import { chargeLater } from "../state/responses/background.ts";

/** Charges a complete answer and hands it to the client; as a stream where one was asked for. */
export async function answerWhole(context: RelayContext, call: Call, answer: WholeAnswer): Promise<Response> {
  const { running } = answer;
  const { stream } = call.admitted.summary;
  call.firstByteMs = stream ? call.elapsedMs : null;
  // The figures of the call are taken when it is charged, before its headers are written.
  call.overheadMs = overheadOf(call);
  if (running) await chargeLater(context, call, running);
  const billed = await settle(context, call, {
    ending: call.clientLeft ? "client_left" : "complete",
    reported: answer.reported,
    drained: call.clientLeft,
    tally: answer.tally,
  });
  const { body, contentType } = answer;
  return answerTo(call, typeof body === "function" ? body(billed) : body, contentType, stream);
}
