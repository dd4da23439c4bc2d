import type { ContextOverflow } from "../../formats/conversation/context-overflow.ts";
import type { ErrorExtra } from "../../formats/conversation/service-error.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { Sentence } from "../../lib/messages.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { LimitKind } from "../../lib/runtime/metrics/metrics.ts";

export const LOCAL_TYPE = "sluice_error";
export const PLAYGROUND_PATH = "/pg/chat/completions";

/**
 * The rejection or failure of a call, as reported to the client. `reason`: a message of the gateway, or text of an
 * upstream or protocol; `message` is its English text. Never contains keys, addresses or stack traces.
 */
export class GatewayError extends Error {
  override name = "GatewayError";
  readonly status: number;
  readonly reason: Reason;
  readonly type: string;
  readonly code: string | number | null;
  readonly param: string;
  readonly retryAfterSeconds: number | undefined;
  readonly extra: ErrorExtra | undefined;
  /** The limit that refused the call. */
  readonly limit: LimitKind | undefined;
  /** Another model may accept the request. */
  readonly isModelLimit: boolean;
  /** The request does not fit the model. */
  readonly overflow: ContextOverflow | undefined;
  /** A quota is used up: only money or time helps. */
  readonly isQuota: boolean;
  /** The rest of the request's body is not read: its connection is closed. */
  readonly isBodyUnread: boolean;
  /** Clients of chats get it as an answer in which the model refuses. */
  readonly isAnswer: boolean;

  constructor(
    status: number,
    code: string | number | null,
    reason: Reason,
    details: Readonly<{
      type?: string;
      param?: string;
      retryAfterSeconds?: number | undefined;
      extra?: ErrorExtra | undefined;
      limit?: LimitKind;
      isModelLimit?: boolean;
      overflow?: ContextOverflow;
      isQuota?: boolean;
      isBodyUnread?: boolean;
      isAnswer?: boolean;
    }> = {},
  ) {
    super(sayReason(reason, "en"));
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.type = details.type ?? LOCAL_TYPE;
    this.param = details.param ?? "";
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.extra = details.extra;
    this.limit = details.limit;
    this.isModelLimit = details.isModelLimit ?? false;
    this.overflow = details.overflow;
    this.isQuota = details.isQuota ?? false;
    this.isBodyUnread = details.isBodyUnread ?? false;
    this.isAnswer = details.isAnswer ?? false;
  }
}

/**
 * A quota, budget or plan is used up: 429, or what the client's format has for it. `renewsAt`: Unix time in seconds when it is
 * filled again; 0 if only a payment helps.
 */
export function usedUp(code: string, reason: Sentence, limit: LimitKind, renewsAt = 0): GatewayError {
  const details = { limit, isQuota: true };
  const seconds = renewsAt - nowSeconds();
  if (renewsAt === 0) return new GatewayError(429, code, { code: "gateway_quota_stays", params: { reason } }, details);
  if (seconds <= 0) return new GatewayError(429, code, reason, details);
  const renews = new Date(renewsAt * 1000).toISOString().slice(0, 16).replace("T", " ");
  const renewing: Sentence = { code: "gateway_quota_renews", params: { reason, renews } };
  return new GatewayError(429, code, renewing, { ...details, retryAfterSeconds: seconds });
}

/** Until then most of what waits is served. */
const OVERLOAD_RETRY_AFTER_S = 1;

/** When clients should retry if the database does not respond. */
const UNAVAILABLE_RETRY_AFTER_S = 5;

/** 503: the cost of the call cannot be reserved, because the database does not respond. */
export const ledgerUnavailable = (reason: Reason): GatewayError =>
  new GatewayError(503, "ledger_unavailable", reason, { retryAfterSeconds: UNAVAILABLE_RETRY_AFTER_S });

/** 503: more calls of this caller wait than are served in time. */
export const overloaded = (): GatewayError =>
  new GatewayError(
    503,
    "server_overloaded",
    { code: "gateway_overloaded", params: { seconds: OVERLOAD_RETRY_AFTER_S } },
    { type: "server_error", retryAfterSeconds: OVERLOAD_RETRY_AFTER_S, limit: "overload" },
  );

/** The error of calls that end with the process. */
export const shuttingDown = (): GatewayError =>
  new GatewayError(
    503,
    "server_shutting_down",
    { code: "gateway_restarting" },
    {
      retryAfterSeconds: 1,
    },
  );
