import { requestIdOf } from "../../../lib/http/request-id.ts";
import type { GatewayContext } from "../../call/context.ts";
import { answer, isQuota, taskErrorOf } from "../answers.ts";

/** Codes of the drawing protocol. */
export const CODE = {
  accepted: 1,
  noAccount: 3,
  exists: 21,
  queued: 22,
  overload: 30,
  badRequest: 4,
  unknown: 5,
} as const;

/** A refusal in the protocol's form: 400, but for keys that are not let in and for limits. */
export function refusal(context: GatewayContext, request: Request, error: unknown): Response {
  const told = taskErrorOf(context, error);
  const isLimit = told.status === 429;
  const keepsStatus = isLimit || told.status === 401 || (told.status === 403 && !isQuota(told));
  const code = isLimit ? CODE.overload : told.status >= 500 ? CODE.unknown : CODE.badRequest;
  const why = isQuota(told) ? `quota_not_enough: ${told.message}` : told.message;
  const description = `${why} (request id: ${requestIdOf(request)})`;
  return answer(request, { description, type: told.type, code }, keepsStatus ? told.status : 400);
}
