import type { Sentence } from "../messages.ts";
import { ReasonedError } from "../reason.ts";

/** Why an outgoing request was not made or not finished. */
export type OutboundFailure =
  | "bad_address"
  | "refused_address"
  | "unresolved"
  | "too_many_redirects"
  | "too_large"
  | "timeout"
  | "unreachable";

/** An outgoing request failed before an answer could be used; the reason carries no secret and no resolved address. */
export class OutboundError extends ReasonedError {
  override name = "OutboundError";
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, reason: Sentence) {
    super(reason);
    this.failure = failure;
  }
}
