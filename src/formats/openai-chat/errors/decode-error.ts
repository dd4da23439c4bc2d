import type { ReplyError } from "../../conversation/reply.ts";
import { type JsonObject, recordOf, textOf } from "../../json.ts";
import { baseFailure } from "./base-resp.ts";
import { isErrorAnswer, readError } from "./error.ts";

/**
 * The error in a parsed response, or in a chunk of a stream that began with status 200; null if there is none. Lists of
 * one error object count too (Gemini's OpenAI-compatible endpoint).
 */
export function errorOf(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(Array.isArray(body) ? body[0] : body);
  if (!answer || (status < 400 && !hasError(answer))) return null;
  const { message, type, code, param, status: meant, extra } = readError(status, JSON.stringify(answer));
  return {
    status: meant ?? (status < 400 ? innerStatus(answer) : status),
    type,
    code: code === null ? null : String(code),
    message,
    param: param || null,
    ...(extra && { extra }),
  };
}

/** Chunks may have both an error and choices, and Mistral's error objects have no `error` member. */
const hasError = (answer: JsonObject): boolean =>
  (answer.error != null && answer.error !== "") || answer.object === "error" || isErrorAnswer(answer);

/** The HTTP status that the error body contains, if any. */
function innerStatus(answer: JsonObject): number {
  const base = baseFailure(answer);
  if (base) return base.status ?? 502;
  const error = recordOf(answer.error) ?? answer;
  const code = Number(error.status ?? error.code);
  if (Number.isInteger(code) && code >= 400 && code <= 599) return code;
  const kind = `${textOf(error.type) ?? ""} ${textOf(error.code) ?? ""}`;
  if (/rate_limit/.test(kind)) return 429;
  if (/overloaded/.test(kind)) return 503;
  return /invalid_request/.test(kind) ? 400 : 502;
}
