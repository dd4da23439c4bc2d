import type { ReplyError } from "../conversation/reply.ts";
import { extraOf, ownExtra } from "../conversation/service-error.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../json.ts";

const NAMES = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [409, "ABORTED"],
  [429, "RESOURCE_EXHAUSTED"],
  [499, "CANCELLED"],
  [500, "INTERNAL"],
  [501, "UNIMPLEMENTED"],
  [503, "UNAVAILABLE"],
  [504, "DEADLINE_EXCEEDED"],
]);
const STATUSES = new Map([...NAMES].map(([status, name]) => [name, status]));

/**
 * Reads Google's error object, alone or in a list; null if the body holds no error. Google rejects an invalid key with
 * 400. Source: https://cloud.google.com/apis/design/errors
 */
export function decodeError(status: number, body: unknown): ReplyError | null {
  const error = recordOf(recordOf(Array.isArray(body) ? body[0] : body)?.error);
  const message = textOf(error?.message);
  if (!error || message === null) return null;
  const name = textOf(error.status) ?? "";
  const badKey = recordsOf(error.details).some(({ reason }) => reason === "API_KEY_INVALID");
  const reportedStatus = status >= 400 && status !== 502 ? status : (STATUSES.get(name) ?? numberIn(error.code) ?? 502);
  return {
    status: badKey ? 401 : reportedStatus,
    type: name || "upstream_error",
    code: badKey ? "invalid_api_key" : name || null,
    message,
    param: null,
    ...extraOf("gemini", error, badKey ? STANDARD_MEMBERS_OF_BAD_KEY : STANDARD_MEMBERS),
    ...retryAfterOf(error),
  };
}

/**
 * Members that the neutral error covers. Google's status name goes to Google's clients unchanged, except that a
 * rejected key has a different status here.
 */
const STANDARD_MEMBERS: ReadonlySet<string> = new Set(["message", "code"]);
const STANDARD_MEMBERS_OF_BAD_KEY: ReadonlySet<string> = new Set([...STANDARD_MEMBERS, "status"]);

/**
 * Google states the retry delay in the error's details (https://cloud.google.com/apis/design/errors), not in a header.
 */
function retryAfterOf(error: JsonObject): { retryAfter?: string } {
  for (const { retryDelay } of recordsOf(error.details)) {
    const seconds = /^(\d+)(\.\d+)?s$/.exec(textOf(retryDelay) ?? "");
    if (seconds) return { retryAfter: String(Math.ceil(Number.parseFloat(seconds[0]))) };
  }
  return {};
}

const numberIn = (code: unknown): number | null =>
  typeof code === "number" && code >= 400 && code <= 599 ? code : null;

/** Writes an error as Google's API does. */
export const encodeError = ({ status, message, extra }: ReplyError, requestId: string): JsonObject => ({
  error: {
    code: status,
    message: `${message} (request id: ${requestId})`,
    status: NAMES.get(status) ?? (status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT"),
    ...ownExtra(extra, "gemini"),
  },
});
