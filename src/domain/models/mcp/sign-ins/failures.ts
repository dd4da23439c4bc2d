import {
  OAuthError,
  ServerError,
  TemporarilyUnavailableError,
  TooManyRequestsError,
} from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { OperationError } from "../../../../lib/operation-error.ts";
import { ReasonedError } from "../../../../lib/reason.ts";

const MAX_CODE_LENGTH = 60;

/** A code as authorization servers send it: what else they write could repeat a secret. */
export const readErrorCode = (text: string): string =>
  text.replace(/[^\w.-]/g, "").slice(0, MAX_CODE_LENGTH) || "error";

/** Why a request to an authorization server failed, without what it sent. */
export function failureAt(host: string, error: unknown): OperationError {
  if (error instanceof OperationError) return error;
  if (error instanceof ReasonedError) return new OperationError(error.reason.code, error.reason.params);
  if (error instanceof OAuthError && !(error instanceof ServerError))
    return new OperationError("mcp_oauth_refused", { host, why: readErrorCode(error.errorCode) });
  return new OperationError("mcp_oauth_invalid", { host });
}

/** Whether an authorization server has refused for good what it was sent: the same request would fail again. */
export const isFinal = (error: unknown): boolean =>
  error instanceof OAuthError &&
  !(
    error instanceof ServerError ||
    error instanceof TemporarilyUnavailableError ||
    error instanceof TooManyRequestsError
  );
