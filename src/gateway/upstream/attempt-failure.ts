import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { withoutKey } from "../../domain/channels/keys/keys.ts";
import { ownWords, type ReadRequestText } from "../../domain/channels/status/own-words.ts";
import type { ContextOverflow } from "../../formats/conversation/context-overflow.ts";
import type { ReplyError } from "../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../../formats/json.ts";
import type { ReadError } from "../../formats/openai-chat/errors.ts";
import { OutboundError } from "../../lib/outbound/outbound-error.ts";
import { EncodingError } from "../../lib/outbound/pinned-fetch.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { AccountProblem } from "../../providers/contract/facts.ts";
import type { TokenRefused } from "../../providers/contract/token-refused.ts";
import { isContentRefusal } from "../../providers/errors/content-refusal.ts";
import { contextOverflowOf } from "../../providers/errors/context-overflow.ts";
import { accountProblemOf } from "../../providers/errors/error-meaning.ts";
import { GatewayError } from "../call/errors.ts";
import { type Exchange, ResponseTooLargeError, UpstreamBusyError } from "./exchange.ts";
import { MOST_WAIT_S } from "./keys/cool-down.ts";

/** One attempt at an upstream failed before anything was sent to the client. */
export class AttemptFailure extends Error {
  override name = "AttemptFailure";

  constructor(
    readonly channel: ChannelEntry,
    readonly key: string,
    /** The upstream's status, or a substitute if it did not respond. */
    readonly status: number,
    readonly error: ReadError,
    /** The upstream responded with the error; otherwise it could not be reached or understood. */
    readonly answered: boolean,
    readonly retryAfter: string | null = null,
    /** For the operator only. */
    readonly detail: Reason = error.message,
    /** The channel's own limit on the time to the first byte expired: another channel may still respond in time. */
    readonly overBudget = false,
    /** For the client: the upstream's message, or one of the gateway. */
    readonly reason: Reason = error.message,
    /** What it says about the operator's account at the provider. */
    readonly accountProblem: AccountProblem | null = null,
    /** What the upstream may have quoted. */
    readonly requestText: ReadRequestText = () => "",
    /** The request does not fit the model. */
    readonly overflow: ContextOverflow | null = null,
  ) {
    super(error.message);
  }

  /** The status after the channel's mapping, for retries and the client. */
  get mappedStatus(): number {
    return this.channel.statusCodeMapping.get(this.status) ?? this.status;
  }
}

/** An upstream's response that is an error. `retryAfter`: of its headers. */
type Rejected = Readonly<{
  status: number;
  error: ReadError;
  retryAfter?: string | null;
  requestText: ReadRequestText;
}>;

/** The failure of an attempt to which the upstream responded with an error. */
export function rejectedByUpstream(
  { channel, key }: Readonly<{ channel: ChannelEntry; key: string }>,
  { status: answered, error: read, retryAfter = null, requestText }: Rejected,
): AttemptFailure {
  const isOwn = ownWords(read.message, requestText);
  const problem = accountProblemOf(channel.type, answered, read, isOwn);
  // Some services call a wrong key a wrong argument.
  const isBadKey = problem === "bad_key" && answered === 400;
  const overflow = contextOverflowOf(channel.type, answered, read);
  // Some servers call a prompt that is too long a fault of their own.
  const status = isBadKey ? 401 : overflow && answered >= 500 ? 400 : answered;
  const error = isBadKey ? { ...read, type: "authentication_error", code: "invalid_api_key", param: "" } : read;
  const { extra, ...rest } = error;
  const shown = extra && withoutKeyInside(extra.members, key);
  const reported = {
    ...rest,
    message: withoutKey(error.message, key).slice(0, MAX_MESSAGE_CHARACTERS),
    ...(shown && { extra: { dialect: extra.dialect, members: shown } }),
  };
  const { message } = reported;
  const after = retryAfter ?? error.retryAfter ?? null;
  return new AttemptFailure(
    ...[channel, key, status, reported, true, after, message, false, message, problem, requestText, overflow],
  );
}

/** The failure of an attempt for which the provider gave no access token: as if it had refused the key. */
export function withoutToken(
  choice: Readonly<{ channel: ChannelEntry; key: string }>,
  { status, message }: TokenRefused,
): AttemptFailure {
  const code = status === 401 ? "invalid_api_key" : null;
  const error: ReadError = { message, type: "authentication_error", param: "", code, shaped: false };
  return rejectedByUpstream(choice, { status, error, requestText: () => "" });
}

/** The failure of an attempt whose response the provider ended as one. */
export function endedAsFailure(
  choice: Readonly<{ channel: ChannelEntry; key: string }>,
  error: ReplyError,
): AttemptFailure {
  const read: ReadError = { ...error, param: error.param ?? "", shaped: true };
  return rejectedByUpstream(choice, { status: error.status, error: read, requestText: () => "" });
}

const MAX_MESSAGE_CHARACTERS = 2_000;
const MAX_EXTRA_CHARACTERS = 16_000;

/**
 * The members of an error object with the channel's key removed from every text; null if they are too large for an
 * error.
 */
function withoutKeyInside(members: JsonObject, key: string): JsonObject | null {
  const text = JSON.stringify(members, (_, value) => (typeof value === "string" ? withoutKey(value, key) : value));
  return text.length > MAX_EXTRA_CHARACTERS ? null : recordOf(parseJson(text));
}

/** The failure of an attempt without a usable response: the client receives its kind, the operator its cause. */
export function noResponse(
  channel: ChannelEntry,
  key: string,
  kind: FailureKind,
  cause?: unknown,
  overBudget = false,
): AttemptFailure {
  const { status, code, reason } = KINDS[kind];
  const message = sayReason(reason, "en");
  const error: ReadError = { message, type: "upstream_error", param: "", code, shaped: false };
  return new AttemptFailure(channel, key, status, error, false, null, detailOf(cause) ?? reason, overBudget, reason);
}

/** No channel serves this kind of request, or the only one is gone. */
export const UNSUPPORTED = {
  status: 501,
  code: "convert_request_failed",
  reason: { code: "gateway_channel_unsuited" },
} as const;

type FailureKind = keyof typeof KINDS;

/** What went wrong if the upstream sent no usable response. */
export function failureKind({ stopped }: Exchange, cause: unknown): FailureKind {
  if (stopped === "first_byte_timeout") return "timeout";
  if (stopped === "idle_timeout") return "stalled";
  if (cause instanceof ResponseTooLargeError) return "too_large";
  if (cause instanceof UpstreamBusyError) return "busy";
  return cause instanceof EncodingError ? "broken" : "unreachable";
}

const KINDS = {
  unreachable: { status: 502, code: "do_request_failed", reason: { code: "gateway_unreachable" } },
  timeout: { status: 504, code: "upstream_timeout", reason: { code: "gateway_timeout" } },
  broken: { status: 502, code: "read_response_body_failed", reason: { code: "gateway_broken" } },
  stalled: {
    status: 504,
    code: "upstream_stalled",
    reason: { code: "gateway_stalled" },
  },
  too_large: { status: 502, code: "response_too_large", reason: { code: "gateway_too_large" } },
  busy: { status: 503, code: "upstream_busy", reason: { code: "gateway_busy" } },
  invalid: { status: 502, code: "invalid_response", reason: { code: "gateway_invalid" } },
  empty: { status: 502, code: "empty_response", reason: { code: "gateway_empty" } },
  unsupported: UNSUPPORTED,
} as const;

function detailOf(cause: unknown): Reason | null {
  if (cause instanceof OutboundError) return cause.reason;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return null;
}

/** The client's error if no other channel may be tried. `overflow`: of the failure, with all that is known of it. */
export function clientErrorOf(
  failure: AttemptFailure,
  hideUpstreamErrors: boolean,
  overflow: ContextOverflow | null = failure.overflow,
): GatewayError {
  if (failure.channel.ownKey && isAboutKey(failure)) return ownKeyError(failure);
  // Balances of the operator are nobody else's business, and another channel may be paid for soon.
  if (failure.accountProblem === "no_credit") return temporarilyUnavailable(failure);
  const status = clientStatus(failure.mappedStatus);
  const retryAfterSeconds = status === 429 ? retryAfterOf(failure) : undefined;
  if (status === 429) {
    // Details of a quota name the operator's organization or project.
    return new GatewayError(
      429,
      failure.error.code,
      { code: "gateway_saturated" },
      {
        type: failure.error.type,
        retryAfterSeconds,
      },
    );
  }
  const hidden = hideUpstreamErrors && failure.answered;
  const reason: Reason = hidden ? { code: "gateway_hidden", params: { status } } : failure.reason;
  return new GatewayError(status, hidden ? null : failure.error.code, reason, {
    type: hidden ? "upstream_error" : failure.error.type,
    param: hidden ? "" : failure.error.param,
    extra: hidden ? undefined : failure.error.extra,
    isModelLimit: overflow !== null || isContentRefusal(failure.channel.type, failure.status, failure.error),
    ...(overflow && failure.mappedStatus === failure.status && { overflow }),
  });
}

/** Whether a provider refused the key or its account, not the request. */
const isAboutKey = ({ accountProblem, mappedStatus }: AttemptFailure): boolean =>
  accountProblem !== null || [401, 402, 403, 429].includes(mappedStatus);

/** The provider's own words about the caller's key, which says that it is not the site that refuses. */
function ownKeyError(failure: AttemptFailure): GatewayError {
  const { channel, accountProblem, error, mappedStatus, reason } = failure;
  const status = accountProblem === "no_credit" ? 402 : clientStatus(mappedStatus);
  const say: Reason =
    channel.ownKey?.id === 0
      ? {
          code: "gateway_sent_key_refused",
          params: { provider: channel.name, reason },
        }
      : {
          code: "gateway_own_key_refused",
          params: { name: channel.name, reason },
        };
  return new GatewayError(status, error.code ?? "provider_key_refused", say, {
    type: error.type,
    ...(status === 429 && { retryAfterSeconds: retryAfterOf(failure) }),
  });
}

function temporarilyUnavailable({ status, mappedStatus }: AttemptFailure): GatewayError {
  const code = mappedStatus === status ? 503 : clientStatus(mappedStatus);
  return new GatewayError(
    code,
    "model_not_available",
    { code: "gateway_temporarily_unavailable" },
    { type: "upstream_error" },
  );
}

/** The status for the client: a redirect or invalid status of an upstream would be of no use. */
const clientStatus = (status: number): number => (status >= 400 && status <= 599 ? status : 502);

function retryAfterOf({ retryAfter }: AttemptFailure): number | undefined {
  const seconds = Number(retryAfter ?? "");
  return retryAfter && seconds >= 0 ? Math.min(Math.ceil(seconds), MOST_WAIT_S) : undefined;
}
