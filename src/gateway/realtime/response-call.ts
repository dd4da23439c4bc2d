import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { REQUEST_ID_HEADER } from "../../lib/http/request-id.ts";
import { authenticateByMemory, authorizeGroup, type Caller } from "../auth/authenticate.ts";
import { authorizeModel, findCandidates, noRoute } from "../auth/authorize.ts";
import { type Call, newCall } from "../call/call.ts";
import { CallTiming } from "../call/call-timing.ts";
import type { GatewayContext } from "../call/context.ts";
import { invalidRequest } from "../http/client-body.ts";
import { realtime } from "./endpoint.ts";

/** Who opened a talk, and what with. */
export type SessionOrigin = Readonly<{ request: Request; requestId: string; ip: string; model: string }>;

/** Under which conditions a talk goes on. */
export type Terms = Readonly<{ caller: Caller; candidates: Candidates }>;

/** The caller as the key and its owner stand now: both may change while a talk goes on. Throws GatewayError. */
export function callerOf({ services }: GatewayContext, { request, ip }: SessionOrigin): Caller {
  const caller = authenticateByMemory(services, request, ip, nowSeconds());
  authorizeGroup(services, caller);
  return caller;
}

/** Throws GatewayError where the caller may not use the session's model; its candidates are empty where nobody serves it. */
export function requestTerms({ services }: GatewayContext, { model }: SessionOrigin, caller: Caller): Terms {
  if (model === "") throw invalidRequest({ code: "gateway_model_not_in_url" }, "model");
  authorizeModel(caller, model);
  return { caller, candidates: findCandidates(services, caller, model) };
}

/** Throws GatewayError where the caller may not use the session's model, or nobody serves it. */
export function termsOf(context: GatewayContext, origin: SessionOrigin, caller: Caller): Terms {
  const terms = requestTerms(context, origin, caller);
  if (terms.candidates.tiers.length === 0) throw noRoute(context.services, caller, origin.model);
  return terms;
}

/** A call for one response of a talk: with the talk's request id and a record id of its own, for a log row of its own. */
export function responseCall(origin: SessionOrigin, { caller, candidates }: Terms, model = origin.model): Call {
  const authorized = {
    request: new Request(origin.request.url, { headers: { [REQUEST_ID_HEADER]: origin.requestId } }),
    endpoint: realtime,
    caller,
    ip: origin.ip,
    body: NO_BODY,
    summary: {
      model,
      stream: true,
      wantsUsage: false,
      choices: 1,
      maxOutputTokens: null,
      reasoningEffort: null,
    },
    changes: {},
    candidates,
    promptBound: 0,
    prompt: {},
    conversation: null,
  };
  return newCall(authorized, new CallTiming(performance.now()));
}

const NO_BODY = { text: "", size: 0, json: {} } as const;
