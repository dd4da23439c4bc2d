import { hasOnlyOwnKeys } from "../../domain/channels/provider-keys/own-keys.ts";
import { findCandidates } from "../auth/authorize.ts";
import type { Call } from "../call/call.ts";
import { onTarget, type SelectModelContext, selectModel } from "../routing/model-fallbacks.ts";

/**
 * The call for the model or route to which a guardrail sends it, and for no other; null if the call is bound to a channel or to keys of
 * its caller, or nobody serves that model. The guardrail chooses who gets the request, so keys of callers have no part in it.
 */
export function routeCall(context: SelectModelContext, call: Call, model: string): Call | null {
  if (call.excluded || call.caller.pinnedChannelId !== null) return null;
  if (call.caller.ownKeys && hasOnlyOwnKeys(call.candidates)) return null;
  const caller = call.caller.ownKeys ? { ...call.caller, ownKeys: undefined } : call.caller;
  const candidates = findCandidates(context.services, caller, model);
  const guard = call.guard && { ...call.guard, isRouted: true };
  const plain = onTarget(
    { ...call, caller, guard, fallbacks: [], preferences: null, route: null },
    { model, candidates },
  );
  const selected = selectModel(context, plain);
  return selected.candidates.tiers.length === 0 ? null : selected;
}
