import { type ClientCodec, DecodeError } from "../../formats/conversation/codec.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { errorResponse, GatewayError } from "../call/errors.ts";
import { type ClientBody, invalidRequest } from "./client-body.ts";

/** The client's error for anything thrown; unexpected errors are logged. */
export function toGatewayError({ services }: GatewayContext, error: unknown, requestId?: string): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof DecodeError) return invalidRequest(error.reason, error.param);
  services.log.error({ error, requestId }, "a call failed inside the gateway");
  return new GatewayError(500, "internal_error", { code: "gateway_internal" });
}

/** The response to a request that was rejected before it became a call, in the client's format. */
export function refuse(
  context: GatewayContext,
  request: Request,
  thrown: unknown,
  codec?: ClientCodec,
  body: ClientBody | null = null,
): Response {
  const error = toGatewayError(context, thrown);
  context.metrics.refused(error.status);
  return respondWithError(context, request, error, codec, body);
}

/** Ends a call that failed without a response. Returns the error's response in the client's format. */
export function refuseCall(context: GatewayContext, call: Call, thrown: unknown): Response {
  call.client.end();
  const error = toGatewayError(context, thrown, call.requestId);
  return respondWithError(context, call.request, error, call.endpoint.codec, call.body);
}

/** The response to a rejected or failed call; counts it toward limits and deletes the files of its form. */
export function respondWithError(
  { services }: GatewayContext,
  request: Request,
  error: GatewayError,
  codec?: ClientCodec,
  body: ClientBody | null = null,
): Response {
  void body?.form?.discard();
  if (error.limit) services.countRefusal(error.limit);
  return errorResponse(error, request, codec);
}
