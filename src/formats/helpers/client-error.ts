import { sayOverflow } from "../conversation/context-overflow.ts";
import type { ChatDialect } from "../conversation/conversation.ts";
import type { ReplyError } from "../conversation/reply.ts";

/** Anthropic's own status of an overloaded service, which clients of other formats take for an unknown one. */
const OVERLOADED = 529;

/**
 * The error as the format's own service reports that kind of failure, with its status, so that clients recognize it; unchanged
 * if the formats do not differ in it.
 */
export function clientError(dialect: ChatDialect, error: ReplyError): ReplyError {
  if (error.usedUp) return sayUsedUp(dialect, error, error.usedUp.renewsInSeconds);
  if (error.overflow) return sayOverflow(dialect, error, error.overflow);
  return error.status === OVERLOADED && dialect !== "anthropic" ? { ...error, status: 503 } : error;
}

/** Without a time of renewal clients shall not try again for a day. */
const DAY_S = 86_400;

/**
 * A quota that is used up, as Anthropic (402 billing_error), OpenAI (429 insufficient_quota) and Google (429 RESOURCE_EXHAUSTED with
 * the time to wait, by which Gemini CLI gives up) report it. Sources: https://platform.claude.com/docs/en/api/errors,
 * https://platform.openai.com/docs/guides/error-codes, https://cloud.google.com/apis/design/errors
 */
function sayUsedUp(dialect: ChatDialect, error: ReplyError, renewsInSeconds: number | null): ReplyError {
  if (dialect === "anthropic") return { ...error, status: 402, type: "billing_error" };
  const code = "insufficient_quota";
  if (dialect !== "gemini") return { ...error, status: 429, type: code, code };
  const retryDelay = `${renewsInSeconds ?? DAY_S}s`;
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }];
  return { ...error, status: 429, extra: { dialect, members: { details } } };
}
