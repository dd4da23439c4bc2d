import { errorObject, type GatewayError } from "../call/errors.ts";

/** An error event for a session's client; `causeId`: the id of the client's event that caused it. */
export const errorEvent = (error: GatewayError, requestId: string, causeId: string | null = null) => {
  const { error: body } = errorObject(error, requestId);
  return {
    type: "error",
    event_id: `evt_${requestId}`,
    error: causeId === null ? body : { ...body, event_id: causeId },
  };
};
