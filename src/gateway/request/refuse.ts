import type { ClientCodec } from "../../formats/conversation/codec.ts";
import type { ClientBody } from "../call/endpoint.ts";
import type { GatewayError } from "../call/errors.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { errorResponse, toGatewayError } from "./error-response.ts";
import { helpAddress } from "./help-address.ts";

/** What these functions work with. */
export type RefuseContext = Uses<"countRefusal" | "log" | "settings"> & Pick<CallTools, "metrics">;

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
  { services }: Uses<"countRefusal" | "settings">,
  request: Request,
  error: GatewayError,
  codec?: ClientCodec,
  body: ClientBody | null = null,
): Response {
  void body?.form?.discard();
  if (error.limit) services.countRefusal(error.limit);
  return errorResponse(error, request, codec, helpAddress(error, services.settings.values.ServerAddress));
}
