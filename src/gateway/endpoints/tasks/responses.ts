import { DecodeError } from "../../../formats/conversation/codec.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import { GatewayError } from "../../call/errors.ts";
import type { CallTools, Services, Uses } from "../../call/services.ts";
import { corsHeaders } from "../../request/headers.ts";

/** A response of a task protocol. */
export const answer = (request: Request, body: unknown, status = 200): Response =>
  Response.json(body, { status, headers: { ...corsHeaders(request), "x-request-id": requestIdOf(request) } });

/** The client's error for anything thrown; counts it in the metrics. */
export function taskErrorOf(
  { services, metrics }: Uses<"log"> & Pick<CallTools, "metrics">,
  error: unknown,
): GatewayError {
  const clientError = toClientError(services.log, error);
  metrics.refused(clientError.status);
  return clientError;
}

function toClientError(log: Services["log"], error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof DecodeError) return new GatewayError(400, "invalid_request", error.reason);
  log.error({ error }, "a call for a task failed unforeseen");
  return new GatewayError(500, "internal_error", { code: "gateway_internal" });
}
