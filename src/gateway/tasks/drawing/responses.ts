import { requestIdOf } from "../../../lib/http/request-id.ts";
import type { GatewayContext } from "../../call/context.ts";
import { answer, isQuota, taskErrorOf } from "../responses.ts";

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
export function refusal(context: GatewayContext, request: Request, error: unknown): Response {
  const clientError = taskErrorOf(context, error);
  const isLimit = clientError.status === 429;
  const keepsStatus = isLimit || clientError.status === 401 || (clientError.status === 403 && !isQuota(clientError));
  const code = isLimit ? CODE.overload : clientError.status >= 500 ? CODE.unknown : CODE.badRequest;
  const why = isQuota(clientError) ? `quota_not_enough: ${clientError.message}` : clientError.message;
  const description = `${why} (request id: ${requestIdOf(request)})`;
  return answer(request, { description, type: clientError.type, code }, keepsStatus ? clientError.status : 400);
}
