import { DecodeError } from "../../../dialects/codec.ts";
import { requestIdOf } from "../../../lib/request-id.ts";
import type { RelayContext } from "../../context.ts";
import { RelayError } from "../../errors.ts";
import { corsHeaders } from "../../headers.ts";

/** Codes of the drawing protocol. */
export const CODE = { accepted: 1, exists: 21, queued: 22, overload: 30, badRequest: 4, unknown: 5 } as const;

/** An answer of the drawing protocol. */
export const answer = (request: Request, body: unknown, status = 200): Response =>
  Response.json(body, { status, headers: { ...corsHeaders(request), "x-request-id": requestIdOf(request) } });

/** A refusal in the protocol's form: 400, but for keys that are not let in and for limits. */
export function refusal(context: RelayContext, request: Request, error: unknown): Response {
  const told = toldOf(context, error);
  context.metrics.refused(told.status);
  const isLimit = told.status === 429;
  const status = isLimit || told.status === 401 || told.status === 403 ? told.status : 400;
  const code = isLimit ? CODE.overload : told.status >= 500 ? CODE.unknown : CODE.badRequest;
  const description = `${descriptionOf(told)} (request id: ${requestIdOf(request)})`;
  return answer(request, { description, type: told.type, code }, isQuota(told) ? 400 : status);
}

function toldOf({ services }: RelayContext, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (error instanceof DecodeError) return new RelayError(400, "invalid_request", error.message);
  services.log.error({ error }, "a drawing call failed unforeseen");
  return new RelayError(500, "internal_error", "Something went wrong inside the gateway.");
}

const isQuota = ({ code }: RelayError): boolean =>
  code === "insufficient_user_quota" || code === "pre_consume_token_quota_failed";

/** Clients look for this reason. */
const descriptionOf = (told: RelayError): string =>
  isQuota(told) ? `quota_not_enough: ${told.message}` : told.message;
