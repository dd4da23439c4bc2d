import { type Attempt, failureNote } from "../../billing/types.ts";
import { hasOnlyOwnKeys } from "../../domain/channels/provider-keys/own-keys.ts";
import type { ModelRoute, RouteCandidate } from "../../settings/option/model-routes.ts";
import { allowsModel, findCandidates } from "../auth/authorize.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError } from "../call/errors.ts";
import type { RouteTarget } from "../call/route.ts";
import type { Services, Uses } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import { type PricedCall, priceCall } from "../money/price.ts";
import { attemptCost } from "../money/price-usage.ts";
import { discardResponse, type Reviewed, reportedIn, reviewResponse } from "../upstream/filtered.ts";
import type { Answer } from "../upstream/receive.ts";
import type { RoutingMemory } from "./memory.ts";
import type { PlanContext } from "./routes/plan.ts";
import { planRoute } from "./routes/plan.ts";
import { candidatesOf } from "./routes/rank.ts";

/** What these functions work with. */
export type SelectModelContext = PlanContext & Uses<"settings">;

const NONE: readonly string[] = [];

/**
 * The call for the first model of its route; for others the call itself, or for its first fallback model that has channels
 * if its own model has none. Throws GatewayError if the route has no model for the call.
 */
export function selectModel(context: SelectModelContext, call: Call): Call {
  const route = findRoute(context, call);
  if (route) return onRoute(context, call, route);
  if (call.candidates.tiers.length > 0) return call;
  for (const model of fallbackNames(context.services, call)) {
    const other = withModel(context.services, call, model);
    if (other) return other;
  }
  return call;
}

/**
 * The call for each fallback model, in order, without models that the caller may not use and those that lack channels or a
 * price. Empty for a call that is bound to a channel.
 */
export function findFallbacks(context: Uses<"channels" | "settings"> & Pricing, call: Call): readonly PricedCall[] {
  const { services, prices } = context;
  if (call.route) return pricedTargets(context, call, call.route.targets);
  const names = fallbackNames(services, call);
  if (names.length === 0 || findCandidates(services, call.caller, call.summary.model) !== call.candidates) return [];
  const found: PricedCall[] = [];
  for (const model of names.slice(names.indexOf(call.summary.model) + 1)) {
    const other = withModel(services, call, model);
    const priced = other && priceOrNull(() => priceCall(prices, other));
    if (other && priced) found.push({ call: other, prices: priced });
  }
  return found;
}

/** The route of a call; null: its model is none, or the call is bound to a channel. */
export function findRoute({ services }: Uses<"channels" | "settings">, call: Call): ModelRoute | null {
  const { summary, caller, endpoint, candidates } = call;
  const route = services.settings.values.ModelRoutes.get(summary.model);
  if (!route?.isEnabled || caller.pinnedChannelId !== null) return null;
  if (endpoint.capability !== "chat" && endpoint.capability !== "completions") return null;
  const own = findCandidates(services, caller, summary.model);
  return candidates.tiers.length === 0 || candidates === own ? route : null;
}

/**
 * Makes attempts with one model after the other until one responds; in its turn where the call's route has a queue. A response
 * that was withheld counts as a refusal while there is another model; where none of them responds, it is the answer. Rejects the
 * first model's error if all fail, or at once an error that another model would not avoid.
 */
export async function acrossModels(
  context: Uses<"config"> & Pricing & Pick<RoutingMemory, "conversationModels" | "queues">,
  calls: readonly [PricedCall, ...PricedCall[]],
  attempt: (call: PricedCall) => Promise<Answer>,
  hasWaited = false,
): Promise<Served> {
  const [{ call }] = calls;
  const queue = hasWaited ? null : call.route?.queue;
  if (queue) return context.queues.run(call, queue, () => acrossModels(context, calls, attempt, true));
  const failures: unknown[] = [];
  let refused: Withheld | null = null;
  for (const served of calls) {
    try {
      const received = await attempt(served);
      const isLast = served === calls.at(-1);
      const reviewed: Reviewed =
        isLast && !refused ? { result: received, isRefusal: false } : await reviewResponse(context, received);
      const { result, isRefusal } = reviewed;
      if (!isRefusal) {
        if (refused) discardWithheld(context, refused);
        if (served.call.route) rememberModel(context, served.call);
        return { served, result };
      }
      const withheld = { served, result, entry: noteRefusal(served.call) };
      if (refused) discardWithheld(context, withheld);
      else refused = withheld;
    } catch (error) {
      if (served.call.progress.client.hasLeft || !isWorthAnotherModel(error)) {
        if (refused && !served.call.progress.client.hasLeft) break;
        if (refused) discardWithheld(context, refused);
        throw error;
      }
      failures.push(error);
    }
  }
  if (!refused) throw failures[0];
  return refused;
}

/** What an attempt returned, and for which model. */
export type Served = Readonly<{ served: PricedCall; result: Answer }>;

/** A response that the provider withheld, and the entry of its attempt. */
type Withheld = Served & Readonly<{ entry: Attempt | undefined }>;

/** Notes in the log that the latest attempt was refused; returns its entry. */
function noteRefusal({ progress: { attempts } }: Call): Attempt | undefined {
  const entry = attempts.entries.at(-1);
  if (entry) Object.assign(entry, failureNote({ code: "gateway_filtered" }));
  return entry;
}

/** Ends a response that another one takes the place of, and notes what it cost the operator all the same. */
function discardWithheld(context: Pricing, { result, entry }: Withheld): void {
  const cost = attemptCost(result.route, reportedIn(result), context);
  if (entry && cost) entry.channel_cost = cost;
  discardResponse(result);
}

/** The call for the first model of a route, followed by the others and then by the models that the client listed. */
function onRoute(context: PlanContext, call: Call, route: ModelRoute): Call {
  const { services } = context;
  const plan = planRoute(context, call, route);
  const targets = [...plan.targets];
  for (const model of call.fallbacks) {
    const candidates = findCandidates(services, call.caller, model);
    if (candidates.tiers.length > 0) targets.push({ model, candidates });
  }
  const [first] = targets;
  if (!first) return call;
  const keepsText = plan.experiment !== null && plan.experiment.rule.judge !== null;
  return { ...onTarget(call, first), route: { ...plan, targets }, keepsText };
}

/** Later calls of a conversation on a route go to the model that responded. */
function rememberModel(
  { conversationModels }: Pick<RoutingMemory, "conversationModels">,
  { route, summary }: Call,
): void {
  if (route && route.conversation !== null) conversationModels.keep(route.conversation, summary.model);
}

/** The call for each target after its own; none for a call that is bound to a channel. */
function pricedTargets({ prices }: Pricing, call: Call, targets: readonly RouteTarget[]): readonly PricedCall[] {
  const at = targets.findIndex(({ candidates }) => candidates === call.candidates);
  if (at < 0) return [];
  return targets.slice(at + 1).flatMap((target) => {
    if (leavesOwnKeys(call, target.candidates)) return [];
    const other = onTarget(call, target);
    const priced = priceOrNull(() => priceCall(prices, other));
    return priced ? [{ call: other, prices: priced }] : [];
  });
}

/** Whether a call that goes to the caller's own keys alone would go to channels of the site for these candidates. */
const leavesOwnKeys = ({ caller, candidates: own }: Call, candidates: Call["candidates"]): boolean =>
  caller.ownKeys !== undefined && hasOnlyOwnKeys(own) && !hasOnlyOwnKeys(candidates);

/** The call for another model. */
export function onTarget(call: Call, { model, candidates }: RouteTarget): Call {
  const { summary, changes, fallbackFrom } = call;
  const requested = fallbackFrom ?? summary.model;
  return {
    ...call,
    summary: { ...summary, model },
    candidates,
    changes: { ...changes, model },
    fallbackFrom: model === requested ? null : requested,
  };
}

/** The first model with channels among a name, its route and its fallbacks; null: none has any. */
export function servedModel(
  services: Pick<Services, "channels" | "settings">,
  { group }: Pick<Caller, "group">,
  model: string,
): string | null {
  const route = services.settings.values.ModelRoutes.get(model);
  if (route?.isEnabled) {
    const served = route.candidates.find(
      (candidate) => serves(candidate, group) && candidatesOf({ services }, group, candidate) !== null,
    );
    if (served) return served.model;
  }
  const names = [model, ...(services.settings.values.ModelFallbacks.get(model) ?? NONE)];
  return names.find((name) => services.channels.candidates(group, name) !== null) ?? null;
}

const serves = ({ conditions: { groups } }: RouteCandidate, group: string): boolean => !groups || groups.has(group);

/** Names without channels of their own whose route or fallback models have some. */
export const routeNames = (
  services: Pick<Services, "channels" | "settings">,
  caller: Pick<Caller, "group">,
): string[] =>
  [
    ...new Set([...services.settings.values.ModelRoutes.keys(), ...services.settings.values.ModelFallbacks.keys()]),
  ].filter((name) => !services.channels.candidates(caller.group, name) && servedModel(services, caller, name) !== null);

/** The fallback models that the client listed, else those that the operator set. */
function fallbackNames({ settings }: Pick<Services, "settings">, call: Call): readonly string[] {
  const { caller, fallbackFrom, fallbacks, summary, endpoint } = call;
  if (caller.pinnedChannelId !== null || call.guard?.isRouted) return NONE;
  if (fallbacks.length > 0) return fallbacks;
  if (endpoint.capability !== "chat" && endpoint.capability !== "completions") return NONE;
  return settings.values.ModelFallbacks.get(fallbackFrom ?? summary.model) ?? NONE;
}

/** The call for another model; null where the caller may not use it or nobody serves it. */
function withModel(services: Pick<Services, "channels">, call: Call, model: string): Call | null {
  const { caller, summary, fallbackFrom } = call;
  const requested = fallbackFrom ?? summary.model;
  // Keys are limited to the name of a route, not to the models behind it.
  const isRoute = services.channels.candidates(caller.group, requested) === null && allowsModel(caller, requested);
  if (model === requested || (!isRoute && !allowsModel(caller, model))) return null;
  const candidates = findCandidates(services, caller, model);
  if (candidates.tiers.length === 0 || leavesOwnKeys(call, candidates)) return null;
  return onTarget(call, { model, candidates });
}

/** The price; null where the model has none that the caller accepts. */
export function priceOrNull<Found>(price: () => Found): Found | null {
  try {
    return price();
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

/** Statuses that blame the provider or the operator's account there, not the request. */
const UPSTREAM_TROUBLE: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 413, 429]);
/** Whether another model may succeed: not after errors in the request, unless the prompt is too long or was refused. */
function isWorthAnotherModel(error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.code === "server_shutting_down") return false;
  return error.isModelLimit || error.status >= 500 || UPSTREAM_TROUBLE.has(error.status);
}
