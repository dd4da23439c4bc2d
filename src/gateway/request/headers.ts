import type { ChatDialect } from "../../formats/conversation/conversation.ts";

/** Any website may call the gateway: its only credential is the API key. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, Request-Id, X-Sluice-Overhead-Ms, X-Sluice-Dropped, X-Sluice-Model, X-Sluice-Token-Count, Retry-After, X-Should-Retry",
} as const;

/** Headers that let a website read the response; other clients send no Origin and need none. */
export const corsHeaders = (request: Request): Readonly<Record<string, string>> | null =>
  request.headers.has("origin") ? CORS_HEADERS : null;

export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "access-control-allow-methods": "GET, POST, PUT, DELETE, OPTIONS",
  "access-control-allow-headers": "*, Authorization",
  "access-control-max-age": "86400",
} as const;

/** The headers that name a call; Anthropic's SDKs read the id from one of their own. */
export const requestIdHeaders = (dialect: ChatDialect, requestId: string): Record<string, string> => ({
  "x-request-id": requestId,
  ...(dialect === "anthropic" && { "request-id": requestId }),
});
