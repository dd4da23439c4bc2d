import { requestIdOf } from "../../../../lib/http/request.ts";
import type { CallTools, Uses } from "../../../call/services.ts";
import { answer, taskErrorOf } from "../responses.ts";

/** Result codes of the Midjourney protocol. */
export const CODE = {
  accepted: 1,
  noAccount: 3,
  exists: 21,
  queued: 22,
  overload: 30,
  badRequest: 4,
  unknown: 5,
} as const;

/** An error in the protocol's format: status 400, except for invalid keys and limits. */
export function refusal(context: Uses<"log"> & Pick<CallTools, "metrics">, request: Request, error: unknown): Response {
  const clientError = taskErrorOf(context, error);
  const { status, isQuota } = clientError;
  const isLimit = status === 429 && !isQuota;
  const keepsStatus = [401, 403, 429].includes(status);
  const code = isLimit ? CODE.overload : status >= 500 ? CODE.unknown : CODE.badRequest;
  const why = isQuota ? `quota_not_enough: ${clientError.message}` : clientError.message;
  const description = `${why} (request id: ${requestIdOf(request)})`;
  return answer(request, { description, type: clientError.type, code }, keepsStatus ? status : 400);
}
