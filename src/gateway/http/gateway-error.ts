import { DecodeError } from "../../formats/conversation/codec.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import { invalidRequest } from "./client-body.ts";

/** The client's error for anything thrown; unexpected errors are logged. */
export function toGatewayError({ services }: GatewayContext, error: unknown, requestId?: string): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof DecodeError) return invalidRequest(error.reason, error.param);
  services.log.error({ error, requestId }, "a call failed inside the gateway");
  return new GatewayError(500, "internal_error", { code: "gateway_internal" });
}
