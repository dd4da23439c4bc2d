import type { ChatDialect } from "../conversation/conversation.ts";
import type { ReplyError } from "../conversation/reply.ts";
import { sayOverflow } from "./context-overflow.ts";

/** Anthropic's own status of an overloaded service, which clients of other formats take for an unknown one. */
const OVERLOADED = 529;

/**
 * The error as the format's own service reports that kind of failure, with its status, so that clients recognize it; unchanged
 * if the formats do not differ in it.
 */
export function clientError(dialect: ChatDialect, error: ReplyError): ReplyError {
  if (error.overflow) return sayOverflow(dialect, error, error.overflow);
  return error.status === OVERLOADED && dialect !== "anthropic" ? { ...error, status: 503 } : error;
}
