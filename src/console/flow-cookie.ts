import { FLOW_SECONDS, type FlowKind } from "../accounts/flows.ts";

const nameOf = (kind: FlowKind): string => `flow_${kind}`;

/** The value of the cookie of a flow under way; null without one. */
export function flowCookieOf(request: Request, kind: FlowKind): string | null {
  for (const pair of request.headers.get("cookie")?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === nameOf(kind) && value) return value;
  }
  return null;
}

/** The `Set-Cookie` text that keeps a flow in this browser, for calls of the API alone. */
export const flowCookie = (kind: FlowKind, value: string, isHttps: boolean): string =>
  `${nameOf(kind)}=${value}; Path=/api; HttpOnly; SameSite=Lax; Max-Age=${FLOW_SECONDS}${isHttps ? "; Secure" : ""}`;
