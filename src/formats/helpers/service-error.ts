import type { ReplyError } from "../conversation/reply.ts";

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
