import { NO_USAGE } from "../../formats/conversation/reply.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { Call } from "../call/call.ts";
import type { CallTools } from "../call/services.ts";
import { OutputMeter } from "../money/output-meter.ts";
import type { Reservation } from "../money/reserve.ts";
import type { FailCallContext } from "../money/settle-call.ts";
import { failCall } from "../money/settle-call.ts";
import { responseTo } from "../request/response.ts";
import type { ReadObjectsContext } from "../state/files/read-objects.ts";
import { storeObject } from "../state/files/read-objects.ts";
import { chargeLater } from "../state/responses/background.ts";
import { BackgroundView } from "../state/responses/background-view.ts";
import { storedFormatOf } from "../state/responses/stored-formats.ts";
import type { OpenStream, Received } from "../upstream/receive.ts";
import type { EndCall, StreamPumpContext } from "./stream-pump.ts";
import { StreamPump } from "./stream-pump.ts";

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
  const { timing, client, summary } = call;
  if (summary.stream) timing.markFirstByte();
  // Measured before charging, because the log row contains it.
  timing.markOverhead();
  const owed = running ? (await chargeLater(context, call, reserved, running)).reserved : reserved;
  if (call.trace?.isRecording) call.trace.addPassed(typeof body === "function" ? body(reported ?? NO_USAGE) : body);
  const ending = client.hasLeft ? "client_left" : "complete";
  const billed = await endCall(context, call, owed, { ending, reported, drained: client.hasLeft, meter });
  return responseTo(call, typeof body === "function" ? body(billed) : body, contentType, summary.stream);
}

/** The cost of such a call follows from its request, so it is charged before the bytes are sent. */
async function respondBytes<Context extends Pick<CallTools, "catalog">>(
  context: Context,
  call: Call,
  reserved: Reservation,
  { body, contentType }: Extract<Received, { kind: "bytes" }>,
  endCall: EndCall<Context>,
): Promise<Response> {
  call.timing.markFirstByte();
  const meter = new OutputMeter();
  meter.other();
  const reported = call.endpoint.meter?.(call, null, call.servedBy?.price ?? null, context.catalog()) ?? null;
  await endCall(context, call, reserved, { ending: "complete", reported, meter: meter });
  return responseTo(call, body, contentType, false);
}

function respondStream<Context extends StreamPumpContext>(
  context: Context,
  call: Call,
  reserved: Reservation,
  source: OpenStream,
  endCall: EndCall<Context>,
): Response {
  call.timing.markFirstByte();
  const pump = new StreamPump(context, call, reserved, source, endCall);
  if (call.client.hasLeft) pump.cancel();
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
