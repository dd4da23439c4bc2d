import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { ReplyError } from "../conversation/reply.ts";
import { extraOf, ownExtra } from "../conversation/service-error.ts";
import { type JsonObject, recordOf, textOf } from "../json.ts";

const STATUS_OF_TYPE = lookupTable<number>({
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
});
const TYPE_OF_STATUS = new Map(Object.entries(STATUS_OF_TYPE).map(([type, status]) => [status, type]));

/**
 * The error type goes to `extra` as well, unchanged: Anthropic clients receive it even when this gateway does not know
 * it.
 */
const STANDARD_MEMBERS: ReadonlySet<string> = new Set(["message"]);

/**
 * Reads Anthropic's error object, also as Bedrock and Vertex forward it; null when the body holds no error. Source:
 * https://docs.anthropic.com/en/api/errors
 */
export function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(Array.isArray(body) ? body[0] : body);
  const error = recordOf(answer?.error);
  const message =
    textOf(error?.message) ?? (status >= 400 ? (textOf(answer?.message) ?? textOf(answer?.Message)) : null);
  if (message === null || (status < 400 && answer?.type !== "error" && !error)) return null;
  const type = textOf(error?.type) ?? textOf(error?.status) ?? TYPE_OF_STATUS.get(status) ?? "api_error";
  const clientStatus = status >= 400 && status !== 502 ? status : (STATUS_OF_TYPE[type] ?? 502);
  // Clouds that host Claude also respond with error objects of their own.
  const extra = error && answer?.type === "error" && extraOf("anthropic", error, STANDARD_MEMBERS);
  return { status: clientStatus, type, code: textOf(error?.code), message, param: null, ...extra };
}

/** Writes an error as Anthropic's API does. */
export const encodeError = ({ status, type, message, extra }: ReplyError, requestId: string): JsonObject => ({
  type: "error",
  error: { type: typeOf(status, type), ...ownExtra(extra, "anthropic"), message },
  request_id: requestId,
});

/** Maps OpenAI's generic error types to Anthropic's more specific ones by status. */
function typeOf(status: number, type: string): string {
  if (type in STATUS_OF_TYPE && type !== "invalid_request_error") return type;
  return TYPE_OF_STATUS.get(status) ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
