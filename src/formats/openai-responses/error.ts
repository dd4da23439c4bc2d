import type { ReplyError } from "../conversation/reply.ts";
import { recordOf, textOf } from "../json.ts";
import { errorOf } from "../openai-chat/errors.ts";

/**
 * Reads an error: OpenAI's object, an `error` event, or a failed response; null if there is none. Source:
 * https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
export function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  const response = recordOf(answer?.response) ?? answer;
  if (answer?.type === "error" && !recordOf(answer.error)) return failure(answer);
  if (answer?.type === "response.failed" || (response?.object === "response" && response.status === "failed")) {
    return failure(recordOf(response?.error) ?? {});
  }
  // A complete response has `error: null`, and the errors of its items elsewhere.
  return response?.object === "response" ? null : errorOf(status, body);
}

function failure(error: { code?: unknown; message?: unknown; param?: unknown }): ReplyError {
  const code = textOf(error.code);
  const status = code === "rate_limit_exceeded" ? 429 : code === "server_error" || code === null ? 502 : 400;
  return {
    status,
    type: status === 400 ? "invalid_request_error" : "server_error",
    code,
    message: textOf(error.message) ?? "The response failed.",
    param: textOf(error.param),
  };
}
