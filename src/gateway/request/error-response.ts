import { type ClientCodec, DecodeError } from "../../formats/conversation/codec.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../formats/conversation/reply.ts";
import { ownExtra } from "../../formats/conversation/service-error.ts";
import { clientError } from "../../formats/helpers/client-error.ts";
import type { OpenAiError } from "../../formats/openai-chat/errors.ts";
import { openaiChatClientCodec } from "../../formats/openai-chat/index.ts";
import { requestIdOf } from "../../lib/http/request.ts";
import { type Language, languageOf, say } from "../../lib/messages.ts";
import { sayReason } from "../../lib/reason.ts";
import { GatewayError, LOCAL_TYPE, PLAYGROUND_PATH } from "../call/errors.ts";
import type { Uses } from "../call/services.ts";
import { invalidRequest } from "./client-body.ts";
import { corsHeaders, requestIdHeaders } from "./headers.ts";

/** Writes the error as OpenAI's API does; the message ends with the request id. */
export function errorObject(
  error: GatewayError,
  requestId: string,
  language: Language = "en",
  helpUrl: string | null = null,
): { error: OpenAiError } {
  const neutral = neutralError(error);
  const written = clientError("openai-chat", neutral);
  const isOwn = written === neutral;
  const text = written.message === neutral.message ? sayReason(error.reason, language) : written.message;
  const message = say("error_with_request_id", language, { text, requestId });
  const { type, param, code } = isOwn ? error : { ...written, param: written.param ?? "" };
  const help = helpUrl && { help_url: helpUrl };
  return { error: { ...ownExtra(written.extra, "openai-chat"), message, type, param, code, ...help } };
}

/**
 * The response to a rejected or failed call, in the client's format; OpenAI's if no codec is passed. `helpUrl`: the page of the
 * console that helps, for a header in every format and a member in OpenAI's.
 */
export function errorResponse(
  error: GatewayError,
  request: Request,
  codec?: ClientCodec,
  helpUrl: string | null = null,
): Response {
  const requestId = requestIdOf(request);
  const { dialect, encodeError } = codec ?? openaiChatClientCodec;
  const headers: Record<string, string> = { ...corsHeaders(request), ...requestIdHeaders(dialect, requestId) };
  // Otherwise the server would read the rest of the body for as long as the client sends it.
  if (error.isBodyUnread) headers.connection = "close";
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] = String(error.retryAfterSeconds);
  // A link to help, as RFC 8288 writes it.
  if (helpUrl) headers.link = `<${helpUrl}>; rel="help"`;
  if (isFinal(error)) headers["x-should-retry"] = "false";
  const written = toErrorObject(error, dialect);
  const body =
    codec && codec !== openaiChatClientCodec
      ? encodeError(written, requestId)
      : errorObject(error, requestId, clientLanguage(request), helpUrl);
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

/** The client's error for anything thrown; unexpected errors are logged. */
export function toGatewayError({ services }: Uses<"log">, error: unknown, requestId?: string): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof DecodeError) return invalidRequest(error.reason, error.param);
  services.log.error({ error, requestId }, "a call failed inside the gateway");
  return new GatewayError(500, "internal_error", { code: "gateway_internal" });
}
