import type { CallEnding } from "../../../billing/types.ts";
import { GatewayError } from "../../call/errors.ts";
import { errorObject } from "../../request/error-response.ts";

/** Close codes of RFC 6455. */
export const CLOSE = { normal: 1000, goingAway: 1001, refused: 1008, failed: 1011 } as const;

/** How a session ends: for the log, the client's close frame and, with `error`, an event before it. */
export type SessionEnd = Readonly<{ ending: CallEnding; code: number; reason: string; error?: GatewayError }>;

export const INTERNAL_ERROR = new GatewayError(500, "internal_error", { code: "gateway_internal" });

export const UPSTREAM_BROKE = new GatewayError(
  502,
  "upstream_closed",
  { code: "gateway_socket_broken" },
  { type: "upstream_error" },
);

export const TOO_SLOW: SessionEnd = {
  ending: "client_left",
  code: CLOSE.failed,
  reason: "too much is waiting for the client",
};

/** The client connected and named no model. */
export const NO_SETUP: SessionEnd = { ending: "refused", code: CLOSE.refused, reason: "no setup message was received" };

export const SHUTTING_DOWN: SessionEnd = {
  ending: "complete",
  code: CLOSE.goingAway,
  reason: "shutting_down",
  error: new GatewayError(503, "shutting_down", { code: "gateway_restarting_socket" }),
};

/** The end of a session that the gateway rejects with `error`. */
export const endByError = (error: GatewayError): SessionEnd => ({
  ending: "refused",
  code: CLOSE.refused,
  reason: String(error.code ?? error.type),
  error,
});

/** An error event for a session's client; `causeId`: the id of the client's event that caused it. */
export const errorEvent = (error: GatewayError, requestId: string, causeId: string | null = null) => {
  const { error: body } = errorObject(error, requestId);
  return {
    type: "error",
    event_id: `evt_${requestId}`,
    error: causeId === null ? body : { ...body, event_id: causeId },
  };
};
