import type { Catalog } from "../../catalog/catalog.ts";
import { retirementOf } from "../../catalog/retirement.ts";
import { policyAgainstModel } from "../../domain/accounts/organizations/policies/policy.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { type Candidates, servesByPattern } from "../../domain/channels/routing/routing-index.ts";
import { retiredReason } from "../../domain/channels/upstream/retired-models.ts";
import { type JsonObject, recordsOf } from "../../formats/json.ts";
import type { Reason } from "../../lib/reason.ts";
import type { Caller } from "../call/caller.ts";
import type { ParsedRequest } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools, Services, Uses } from "../call/services.ts";
import type { Arrival } from "../request/arrival.ts";
import { endUserOf } from "./end-user.ts";
import { PROVIDER_KEY, withOwnKeys } from "./own-keys.ts";
import { allowedCandidates, channelRefusal, refuseModel } from "./policies.ts";

/**
 * Checks a call against its key and the channels of its group. Returns the caller in the group that
 * serves the model, and the candidates, best tier first; no tier if no channel serves it. Throws GatewayError.
 */
export function authorize(
  { services }: Uses<"channels" | "providerKeys" | "settings">,
  { only, request, endpoint }: Pick<Arrival, "endpoint" | "only" | "request">,
  signedIn: Caller,
  { summary: { model }, prompt, fallbacks, body }: Pick<ParsedRequest, "summary" | "prompt" | "fallbacks" | "body">,
): Readonly<{ caller: Caller; candidates: Candidates }> {
  const inGroup = signedIn.groups ? inServingGroup(services, signedIn, model) : signedIn;
  const { EndUsersEnabled, ProviderKeys } = services.settings.values;
  const named = EndUsersEnabled ? withEndUser(services, inGroup, request.headers, body.json) : inGroup;
  const usesKeys = !only && (ProviderKeys !== "off" || request.headers.has(PROVIDER_KEY));
  const caller = usesKeys ? withOwnKeys(services, named, { request, endpoint, model, body }) : named;
  authorizeModel(caller, model);
  for (const fallback of fallbacks) authorizeModel(caller, fallback);
  if (Array.isArray(prompt.tools)) for (const model of modelsOfTools(prompt.tools)) authorizeModel(caller, model);
  const { policies } = caller;
  const refusal = only && policies ? channelRefusal(policies, only, model) : null;
  if (refusal) throw refusal;
  const candidates = only
    ? { model, tiers: [{ priority: 0, channels: [only] }] }
    : findCandidates(services, caller, model);
  return { caller, candidates };
}

/** The caller with the end user whom the client names; as it is, if the client names none. */
export function withEndUser(
  { settings }: Pick<Services, "settings">,
  caller: Caller,
  headers: Headers,
  body: JsonObject,
): Caller {
  const endUser = endUserOf(settings.values.EndUserHeader, headers, body);
  return endUser === null ? caller : { ...caller, endUser };
}

/** The caller in the first of its key's groups that has a channel for the model; as it is, if none has or it has one group. */
export function inServingGroup(services: Pick<Services, "channels">, caller: Caller, model: string): Caller {
  const group = caller.groups?.find(
    (name) => findCandidates(services, { ...caller, group: name }, model).tiers.length > 0,
  );
  return group === undefined || group === caller.group ? caller : { ...caller, group };
}

/** Models that tools call in addition to the call's own, such as those that make images (`image_generation`) or give advice. */
const modelsOfTools = (tools: readonly unknown[]): string[] =>
  recordsOf(tools).flatMap(({ model }) => (typeof model === "string" && model !== "" ? [model] : []));

/** Checks that the key and the policies allow the model, by the exact name requested. Throws GatewayError. */
export function authorizeModel(caller: Caller, model: string): void {
  if (caller.policies) refuseModel(caller.policies, model);
  const limits = caller.pinnedChannelId === null ? caller.token?.modelLimits : null;
  if (!limits) return;
  if (limits.size === 0) throw new GatewayError(403, "model_not_allowed", { code: "gateway_key_no_models" });
  if (!limits.has(model)) {
    throw new GatewayError(403, "model_not_allowed", { code: "gateway_key_not_model", params: { model } });
  }
}

/** Whether the key may use the model, by the name exactly as requested. */
export const allowsModel = ({ pinnedChannelId, token, policies }: Caller, model: string): boolean =>
  !(policies && policyAgainstModel(policies, model)) && allowsKeyModel(pinnedChannelId, token, model);

/** Whether the limits of the key itself allow the model. */
export const allowsKeyModel = (pinnedChannelId: number | null, token: Caller["token"], model: string): boolean =>
  pinnedChannelId !== null || !token?.modelLimits || token.modelLimits.has(model);

/**
 * The channels that may serve the call, best tier first; no tier if there are none (`noRoute` explains why). Throws
 * GatewayError.
 */
export function findCandidates(services: Pick<Services, "channels">, caller: Caller, model: string): Candidates {
  if (caller.pinnedChannelId !== null) {
    const channel = pinnedChannel(services, caller.pinnedChannelId);
    return { model: withoutPrefix(channel, model), tiers: [{ priority: 0, channels: [channel] }] };
  }
  const found = services.channels.candidates(caller.group, model) ?? { model, tiers: [] };
  const all = caller.ownKeys ? caller.ownKeys.merge(found, model) : found;
  return caller.policies ? allowedCandidates(caller.policies, all, model) : all;
}

/**
 * Why no channel serves a model: 404 if no channel of the group has it (clients retry a 503 for minutes), 503 if the
 * channels that have it are disabled at the moment.
 */
export function noRoute(
  { services: { channels }, catalog }: Uses<"channels"> & Pick<CallTools, "catalog">,
  { group, policies }: Caller,
  model: string,
): GatewayError {
  const [served] = channels.candidates(group, model)?.tiers.flatMap((tier) => tier.channels) ?? [];
  const refusal = served && policies ? channelRefusal(policies, served, model) : null;
  if (refusal) return refusal;
  for (const channel of channels.all()) {
    const { groups, models, modelPrefix } = channel;
    const isServed = models.some((name) => modelPrefix + name === model) || servesByPattern(channel, model);
    if (!groups.includes(group) || !isServed) continue;
    return new GatewayError(503, "model_not_available", { code: "gateway_no_channel", params: { model, group } });
  }
  return unknownModel(catalog(), model);
}

/** The error of a model that no channel of the caller has: it was retired, or is not known. */
export function unknownModel(catalog: Catalog, model: string): GatewayError {
  const retirement = retirementOf(catalog.find(model), null);
  const reason: Reason = retirement
    ? retiredReason(model, retirement)
    : { code: "gateway_model_unknown", params: { model } };
  return new GatewayError(404, "model_not_found", reason, { type: "invalid_request_error", param: "model" });
}

function pinnedChannel(services: Pick<Services, "channels">, id: number): ChannelEntry {
  const channel = services.channels.get(id);
  if (!channel) throw new GatewayError(400, "invalid_channel_id", { code: "gateway_channel_unknown", params: { id } });
  if (channel.status !== 1)
    throw new GatewayError(403, "channel_disabled", { code: "gateway_channel_off", params: { id } });
  return channel;
}

const withoutPrefix = ({ modelPrefix }: ChannelEntry, model: string): string =>
  modelPrefix && model.startsWith(modelPrefix) ? model.slice(modelPrefix.length) : model;
