import { DecodeError } from "../../formats/conversation/codec.ts";
import { requestIdOf } from "../../lib/request-id.ts";
import type { RelayContext } from "../call/context.ts";
import { RelayError } from "../call/errors.ts";
import { corsHeaders } from "../http/headers.ts";

/** An answer of a protocol of tasks. */
export const answer = (request: Request, body: unknown, status = 200): Response =>
  Response.json(body, { status, headers: { ...corsHeaders(request), "x-request-id": requestIdOf(request) } });

/** What the client is told of whatever went wrong; counted. */
export function taskErrorOf({ services, metrics }: RelayContext, error: unknown): RelayError {
  const told = readable(services.log, error);
  metrics.refused(told.status);
  return told;
}

function readable(log: RelayContext["services"]["log"], error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (error instanceof DecodeError) return new RelayError(400, "invalid_request", error.message);
  log.error({ error }, "a call for a task failed unforeseen");
  return new RelayError(500, "internal_error", "Something went wrong inside the gateway.");
}

/** Neither the user nor the key has enough left; clients of these protocols look for one word. */
export const isQuota = ({ code }: RelayError): boolean =>
  code === "insufficient_user_quota" || code === "pre_consume_token_quota_failed";
