import type { MessageCode, MessageParams } from "./messages.ts";

/**
 * An operation was refused. The code names a message that exists in every language. The management API responds with
 * `{success: false, message, code}` and, as tools for one-api and new-api expect, HTTP 200 unless `status` says otherwise.
 */
export class OperationError extends Error {
  override name = "OperationError";
  readonly code: MessageCode;
  readonly params: MessageParams;
  readonly status: number;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** What happened, for the log alone: more than the caller may learn. */
  readonly logReason: string | undefined;

  constructor(
    code: MessageCode,
    params: MessageParams = {},
    options: Readonly<{ status?: number; retryAfterSeconds?: number; logReason?: string }> = {},
  ) {
    super(code);
    this.code = code;
    this.params = params;
    this.status = options.status ?? 200;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.logReason = options.logReason;
  }
}

/** Throws OperationError if an input rule found an error. */
export function throwRuleError(error: MessageCode | undefined, params?: MessageParams): void {
  if (error) throw new OperationError(error, params);
}
