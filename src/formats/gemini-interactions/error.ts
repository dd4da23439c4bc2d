import type { ReplyError } from "../conversation/reply.ts";
import { decodeError as decodeGoogleError } from "../gemini/error.ts";
import { type JsonObject, recordOf, textOf } from "../json.ts";

/** Codes of the Interactions API by HTTP status: https://ai.google.dev/api/interactions-api */
const CODES = new Map([
  [400, "invalid_request"],
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "not_found"],
  [409, "conflict"],
  [429, "too_many_requests"],
  [499, "cancelled"],
  [500, "internal_server_error"],
  [501, "not_implemented"],
  [503, "service_unavailable"],
  [504, "gateway_timeout"],
]);
const STATUSES = new Map([...CODES].map(([status, code]) => [code, status]));

/** The code of an HTTP status. */
const codeOf = (status: number): string =>
  CODES.get(status) ?? (status >= 500 ? "internal_server_error" : "invalid_request");

/** Reads an error body, an error event or a failed step; null if there is none. */
export function decodeError(status: number, body: unknown): ReplyError | null {
  const error = recordOf(recordOf(body)?.error);
  const code = textOf(error?.code);
  const message = textOf(error?.message);
  // Before the API itself, Google's front end refuses requests in the form of its other APIs.
  if (!error || code === null || message === null) return decodeGoogleError(status, body);
  const reportedStatus = status >= 400 && status !== 502 ? status : (STATUSES.get(code) ?? 502);
  return { status: reportedStatus, type: code, code, message, param: null };
}

/** The error as events and bodies have it. */
export const errorObject = ({ status, message }: Pick<ReplyError, "status" | "message">): JsonObject => ({
  code: codeOf(status),
  message,
});

/** Writes an error body. */
export const encodeError = (error: ReplyError, requestId: string): JsonObject => ({
  error: errorObject({ ...error, message: `${error.message} (request id: ${requestId})` }),
});
