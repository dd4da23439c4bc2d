import type { MessageCode, MessageParams } from "./messages.ts";

/**
 * An operation refuses, for a reason its caller is told: the code names a message in every language. The console answers it
 * as `{success: false, message, code}` with HTTP 200, as the ecosystem's tools expect, unless a status is given.
 */
export class OperationError extends Error {
  override name = "OperationError";
  readonly code: MessageCode;
  readonly params: MessageParams;
  readonly status: number;
  /** Seconds after which another try makes sense; answered as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: MessageCode,
    params: MessageParams = {},
    options: Readonly<{ status?: number; retryAfterSeconds?: number }> = {},
  ) {
    super(code);
    this.code = code;
    this.params = params;
    this.status = options.status ?? 200;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Throws OperationError with the error that a rule of input found; does nothing when it found none. */
export function throwRuleError(error: MessageCode | undefined, params?: MessageParams): void {
  if (error) throw new OperationError(error, params);
}
