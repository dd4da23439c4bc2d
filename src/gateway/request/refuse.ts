import type { ClientCodec } from "../../formats/conversation/codec.ts";
import { randomId } from "../../lib/http/request-id.ts";
import type { Call } from "../call/call.ts";
import type { ClientBody } from "../call/endpoint.ts";
import type { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { errorResponse, toErrorObject, toGatewayError } from "./error-response.ts";
import { responseTo } from "./response.ts";

/** What these functions work with. */
export type RefuseContext = Uses<"countRefusal" | "log"> & Pick<CallTools, "metrics">;

/** The response to a request that was rejected before it became a call, in the client's format. */
export function refuse(
  context: RefuseContext,
  request: Request,
  thrown: unknown,
  codec?: ClientCodec,
  body: ClientBody | null = null,
): Response {
  const error = toGatewayError(context, thrown);
  context.metrics.refused(error.status);
  return respondWithError(context, request, error, codec, body);
}

/** The response to a rejected or failed call; counts it toward limits and deletes the files of its form. */
export function respondWithError(
  { services }: Uses<"countRefusal">,
  request: Request,
  error: GatewayError,
  codec?: ClientCodec,
  body: ClientBody | null = null,
): Response {
  void body?.form?.discard();
  if (error.limit) services.countRefusal(error.limit);
  return errorResponse(error, request, codec);
}

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

/** Ends a call that failed without a response. Returns the error's response in the client's format. */
export function refuseCall(context: Uses<"config" | "countRefusal" | "log">, call: Call, thrown: unknown): Response {
  call.client.end(context.services.config.idleTimeoutSeconds);
  const error = toGatewayError(context, thrown, call.requestId);
  const { codec } = call.endpoint;
  if (error.overflow && call.summary.stream && codec.overflowsInStream) {
    void call.body.form?.discard();
    return responseTo(call, errorEvents(call, error), codec.streamType, true);
  }
  return respondWithError(context, call.request, error, call.endpoint.codec, call.body);
}
