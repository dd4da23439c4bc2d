import type { ClientCodec } from "../../formats/conversation/codec.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../formats/conversation/reply.ts";
import { clientError } from "../../formats/helpers/client-error.ts";
import type { ContextOverflow } from "../../formats/helpers/context-overflow.ts";
import { type ErrorExtra, ownExtra } from "../../formats/helpers/service-error.ts";
import type { OpenAiError } from "../../formats/openai-chat/errors.ts";
import { openaiChatClientCodec } from "../../formats/openai-chat/index.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { requestIdOf } from "../../lib/http/request-id.ts";
import { type Language, languageOf, type Sentence } from "../../lib/messages.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { LimitKind } from "../../lib/runtime/metrics.ts";
import { corsHeaders, requestIdHeaders } from "../http/headers.ts";

const LOCAL_TYPE = "sluice_error";
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
  }
}

/**
 * A quota, budget or plan is used up: 429, or what the client's format has for it. `renewsAt`: Unix time in seconds when it is
 * filled again; 0 if only a payment helps.
 */
export function usedUp(code: string, reason: Sentence, limit: LimitKind, renewsAt = 0): GatewayError {
  const details = { limit, isQuota: true };
  const seconds = renewsAt - nowSeconds();
  if (renewsAt === 0 || seconds <= 0) return new GatewayError(429, code, reason, details);
  const renews = new Date(renewsAt * 1000).toISOString().slice(0, 16).replace("T", " ");
  const renewing: Sentence = { code: "gateway_quota_renews", params: { reason, renews } };
  return new GatewayError(429, code, renewing, { ...details, retryAfterSeconds: seconds });
}

/** When clients should retry if the database does not respond. */
const UNAVAILABLE_RETRY_AFTER_S = 5;

/** 503: the cost of the call cannot be reserved, because the database does not respond. */
export const ledgerUnavailable = (reason: Reason): GatewayError =>
  new GatewayError(503, "ledger_unavailable", reason, { retryAfterSeconds: UNAVAILABLE_RETRY_AFTER_S });

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

/** Writes the error as OpenAI's API does; the message ends with the request id. */
export function errorObject(error: GatewayError, requestId: string, language: Language = "en"): { error: OpenAiError } {
  const neutral = neutralError(error);
  const written = clientError("openai-chat", neutral);
  const isOwn = written === neutral;
  const text = written.message === neutral.message ? sayReason(error.reason, language) : written.message;
  const message = `${text} (request id: ${requestId})`;
  const { type, param, code } = isOwn ? error : { ...written, param: written.param ?? "" };
  return { error: { ...ownExtra(written.extra, "openai-chat"), message, type, param, code } };
}

/** The response to a rejected or failed call, in the client's format; OpenAI's if no codec is passed. */
export function errorResponse(error: GatewayError, request: Request, codec?: ClientCodec): Response {
  const requestId = requestIdOf(request);
  const { dialect, encodeError } = codec ?? openaiChatClientCodec;
  const headers: Record<string, string> = { ...corsHeaders(request), ...requestIdHeaders(dialect, requestId) };
  // Otherwise the server would read the rest of the body for as long as the client sends it.
  if (error.status === 408) headers.connection = "close";
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] = String(error.retryAfterSeconds);
  if (isFinal(error)) headers["x-should-retry"] = "false";
  const written = toErrorObject(error, dialect);
  const body =
    codec && codec !== openaiChatClientCodec
      ? encodeError(written, requestId)
      : errorObject(error, requestId, clientLanguage(request));
  return Response.json(body, { status: written.status, headers });
}

/**
 * Whether the same call will be refused again: OpenAI's and Anthropic's SDKs obey the header that says so. Without it Claude Code
 * repeats a call with a key whose quota is used up for minutes, as it takes any 401 for a session that has to be renewed.
 */
const isFinal = ({ type, status, isQuota }: GatewayError): boolean =>
  isQuota || (type === LOCAL_TYPE && status >= 400 && status < 500 && !PASSING.has(status));

/** Conflicts, timeouts and limits pass. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** API clients receive English messages; playground users receive their own language. */
const clientLanguage = (request: Request): Language =>
  new URL(request.url).pathname === PLAYGROUND_PATH ? languageOf(request) : "en";

/** The error for a format's encoder, as clients of the format know that kind of failure. */
export const toErrorObject = (error: GatewayError, dialect: ChatDialect): ReplyError =>
  clientError(dialect, neutralError(error));

const neutralError = ({ status, type, code, message, param, extra, overflow, ...error }: GatewayError): ReplyError => ({
  status,
  type,
  code: code === null ? null : String(code),
  message,
  param: param || null,
  ...(extra && { extra }),
  ...(overflow && { overflow }),
  ...(error.isQuota && { usedUp: { renewsInSeconds: error.retryAfterSeconds ?? null } }),
});
