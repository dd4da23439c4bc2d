import { type JsonObject, recordOf, textOf } from "../../../../formats/json.ts";
import { authorizeModel } from "../../../auth/authorize.ts";
import type { Pricing } from "../../../money/price.ts";
import type { ResponseCallContext } from "../response-call.ts";
import { callerOf, type SessionOrigin } from "../response-call.ts";

/** What these functions work with. */
export type TranscriptionModelContext = ResponseCallContext & Pricing;

/** The transcription model in a session's settings: under `audio`, or in beta sessions at the top level; "" if none. */
export const transcriptionModelOf = (session: JsonObject | null): string =>
  textOf(recordOf(recordOf(recordOf(session?.audio)?.input)?.transcription)?.model) ??
  textOf(recordOf(session?.input_audio_transcription)?.model) ??
  "";

/**
 * Transcriptions are charged by the model that makes them, so the key must have that model, and it must have a price.
 * Throws GatewayError.
 */
export function refuseTranscriptionModel(
  context: TranscriptionModelContext,
  origin: SessionOrigin,
  event: JsonObject,
): void {
  const model = transcriptionModelOf(recordOf(event.session));
  if (model === "" || model === origin.model) return;
  const caller = callerOf(context, origin);
  authorizeModel(caller, model);
  context.prices.of(caller, model, model);
}
