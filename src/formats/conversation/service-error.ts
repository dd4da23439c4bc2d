import type { JsonObject } from "../json.ts";
import type { ChatDialect } from "./conversation.ts";
import type { ReplyError } from "./reply.ts";

/** An error that a service reports by its own code, with the matching HTTP status. */
export const serviceError = (status: number, code: string | null, message: string): ReplyError => ({
  status,
  type: TYPES[status] ?? "upstream_error",
  code,
  message: message || code || `status ${status}`,
  param: null,
});

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

/**
 * Members of a provider's error object that the neutral error has no field for, such as Anthropic's and Google's
 * `details` or OpenRouter's `metadata`. Clients of the same format receive them unchanged, because official clients act
 * on them.
 */
export type ErrorExtra = Readonly<{ dialect: ChatDialect; members: JsonObject }>;

/** The error's members except those that were `read`; empty if none remain. */
export function extraOf(dialect: ChatDialect, error: JsonObject, read: ReadonlySet<string>): { extra?: ErrorExtra } {
  const left = Object.entries(error).filter(([name]) => !read.has(name));
  return left.length === 0 ? {} : { extra: { dialect, members: Object.fromEntries(left) } };
}

/** The members for a client of the format. Both of OpenAI's formats have the same error object. */
export function ownExtra(extra: ErrorExtra | undefined, dialect: ChatDialect): JsonObject {
  const isOwn = extra?.dialect === dialect || (extra?.dialect.startsWith("openai") && dialect.startsWith("openai"));
  return extra && isOwn ? extra.members : {};
}
