import { OutboundError } from "../../../lib/outbound/outbound-error.ts";
import type { Reason } from "../../../lib/reason.ts";

/** Why asking an upstream came to nothing; null: the error is none of the upstream's. */
export function upstreamFailure(error: unknown): Reason | null {
  if (error instanceof OutboundError) return error.reason;
  return error instanceof SyntaxError ? { code: "why_no_json" } : null;
}
