import { errorObject, type GatewayError } from "../call/errors.ts";

/** The error as a talk's client is told it; `causeId`: the id of the event that it answers. */
export const errorEvent = (error: GatewayError, requestId: string, causeId: string | null = null) => {
  const { error: body } = errorObject(error, requestId);
  return {
    type: "error",
    event_id: `evt_${requestId}`,
    error: causeId === null ? body : { ...body, event_id: causeId },
  };
};
