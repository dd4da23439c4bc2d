import { FLOW_SECONDS, type FlowKind } from "../../domain/accounts/sessions/flows.ts";
import { readHostCookie, setHostCookie } from "../../lib/http/host-cookie.ts";

const nameOf = (kind: FlowKind): string => `flow_${kind}`;

/** The value of the flow cookie; null without one. */
export const flowCookieOf = (request: Request, kind: FlowKind): string | null => readHostCookie(request, nameOf(kind));

/** The `Set-Cookie` texts that bind a flow to this browser. */
export const flowCookie = (kind: FlowKind, value: string, isHttps: boolean): string[] =>
  setHostCookie({ name: nameOf(kind), value, maxAgeSeconds: FLOW_SECONDS }, isHttps);
