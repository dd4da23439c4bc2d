import type { Candidates } from "../../../domain/channels/routing/routing-index.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { REQUEST_ID_HEADER } from "../../../lib/http/request.ts";
import { type AuthenticateByMemoryContext, authenticateByMemory, inUsableGroup } from "../../auth/authenticate.ts";
import { authorizeModel, findCandidates, inServingGroup, noRoute, withEndUser } from "../../auth/authorize.ts";
import { type Call, newCall } from "../../call/call.ts";
import type { Caller } from "../../call/caller.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { CallTiming } from "../../call/progress.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import { invalidRequest } from "../../request/client-body.ts";

/** What these functions work with. */
export type ResponseCallContext = AuthenticateByMemoryContext & Uses<"settings">;

/** The request that opened a session. */
export type SessionOrigin = Readonly<{
  request: Request;
  requestId: string;
  ip: string;
  model: string;
  endpoint: Endpoint;
}>;

/** The permissions under which a session continues. */
export type Terms = Readonly<{ caller: Caller; candidates: Candidates }>;

/**
 * The caller with the current state of the key and its owner, because both may change during a session. Throws
 * GatewayError.
 */
export function callerOf(context: ResponseCallContext, { request, ip }: SessionOrigin): Caller {
  return inUsableGroup(context.services, authenticateByMemory(context, request, ip, nowSeconds()));
}

/**
 * The terms for the session's model; its candidates are empty if no channel serves it. Throws GatewayError if the
 * caller may not use it.
 */
export function requestTerms(
  { services }: Uses<"channels" | "settings">,
  { model, request }: SessionOrigin,
  caller: Caller,
): Terms {
  if (model === "") throw invalidRequest({ code: "gateway_model_not_in_url" }, "model");
  authorizeModel(caller, model);
  const inGroup = inServingGroup(services, caller, model);
  const isNamed = services.settings.values.EndUsersEnabled;
  const served = isNamed ? withEndUser(services, inGroup, request.headers, {}) : inGroup;
  return { caller: served, candidates: findCandidates(services, served, model) };
}

/** The terms for the session's model. Throws GatewayError if the caller may not use it, or if no channel serves it. */
export function termsOf(
  context: Uses<"channels" | "settings"> & Pick<CallTools, "catalog">,
  origin: SessionOrigin,
  caller: Caller,
): Terms {
  const terms = requestTerms(context, origin, caller);
  if (terms.candidates.tiers.length === 0) throw noRoute(context, caller, origin.model);
  return terms;
}

/**
 * The call for one response of a session: with the session's request id, and a record id of its own for a separate log
 * row.
 */
export function responseCall(
  origin: SessionOrigin,
  { caller, candidates }: Terms,
  { model = origin.model, maxOutputTokens = null }: Readonly<{ model?: string; maxOutputTokens?: number | null }> = {},
): Call {
  const authorized = {
    request: new Request(origin.request.url, { headers: { [REQUEST_ID_HEADER]: origin.requestId } }),
    endpoint: origin.endpoint,
    caller,
    ip: origin.ip,
    candidates,
  };
  const parsed = {
    body: NO_BODY,
    summary: {
      model,
      stream: true,
      wantsUsage: false,
      choices: 1,
      maxOutputTokens,
      reasoningEffort: null,
    },
    changes: {},
    fallbacks: [],
    preferences: null,
    promptBound: 0,
    typicalTokens: 0,
    storesParts: false,
    promptAudioTokens: 0,
    prompt: {},
    conversation: null,
  };
  return newCall(authorized, parsed, new CallTiming(performance.now()));
}

const NO_BODY = { text: "", size: 0, json: {} } as const;
