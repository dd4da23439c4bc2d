import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import {
  type Candidates,
  servesByPattern,
  type Tier,
  upstreamModelOf,
} from "../../domain/channels/routing/routing-index.ts";
import { DecodeError } from "../../formats/conversation/codec.ts";
import type { JsonObject } from "../../formats/json.ts";
import { boundPrompt } from "../../formats/openai-chat/request/summary.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { providerOf } from "../../providers/registry.ts";
import type { RouteCandidate } from "../../settings/option/model-routes.ts";
import { allowsKeyModel } from "../auth/authorize.ts";
import { type PolicyRefusal, policyRefusal } from "../auth/policies.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools, Services } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import { generateContent, messages, responses } from "../request/endpoints/conversations.ts";
import { chatCompletions } from "../request/endpoints/text.ts";
import { coolingOf } from "../routing/channel-live.ts";
import { conversationKey, type RecognizedBy } from "../routing/conversation-key.ts";
import type { RoutingMemory } from "../routing/memory.ts";
import { priceOrNull } from "../routing/model-fallbacks.ts";
import { needsOf, type Shortcoming, shortcomingOf } from "../routing/model-fit.ts";
import { type IneligibleReason, ineligibleReason, type Requirements } from "../routing/router.ts";
import { channelMismatches } from "../routing/routes/rank.ts";
import { contenders, findChannel } from "../routing/scheduler/choose.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import { type ExplainedRoute, explainRoute } from "./explain-route.ts";

export type ExplainQuestion = Readonly<{
  model: string;
  group: string;
  promptTokens: number;
  /** The API key that sends the request: its limits and policies count. */
  tokenId?: number;
  /** The request of a key, in any of the four formats; absent: a new conversation. */
  request?: JsonObject;
}>;

/** Where a call would go, and why not elsewhere. */
export type Explanation = Readonly<{
  /** The model name without the prefix of the channels that serve it. */
  model: string;
  /** Every channel that has the model, the most likely first. */
  channels: readonly ExplainedChannel[];
  /** Models with channels in this group that take over, in order, when no channel responds. */
  fallbacks: readonly string[];
  /** Where earlier calls of the conversation went; null if unknown. */
  sticky: StickyChannel | null;
  /** The choice among a route's models; the channels are those of the first one. Null: the model is no route. */
  route: ExplainedRoute | null;
}>;

export type ExplainedChannel = Readonly<{
  id: number;
  name: string;
  priority: number;
  weight: number;
  /** Probability of being chosen first, from 0 to 1; 1 for the sticky channel. */
  share: number;
  /** Position among the tiers, from 1; null: never tried. */
  tier: number | null;
  inFlight: number;
  keys: readonly Readonly<{
    index: number;
    state: "ready" | "disabled" | "cooling";
    until: number | null;
    failures: number;
  }>[];
  /** Why it is not chosen, or why others come first; empty if nothing applies. */
  reasons: readonly Reason[];
  /** The policy that refuses it, or the model; null: none does. */
  policy: RefusingPolicy | null;
}>;

/** A policy, and the organization whose calls, or a project's, it holds for. */
type RefusingPolicy = Readonly<{ name: string; organization: string; isOfProject: boolean }>;

/** Reasons of the key and of policies, of the channel, then of the call's requirements, then of the channel's keys. */
type Reason =
  | ("key_model" | PolicyRefusal["reason"])
  | ("disabled" | "auto_disabled" | "other_group" | "no_weight" | "other_prefix" | "other_tag" | "other_region")
  | IneligibleReason
  | Shortcoming
  | ("no_key" | "cooling");

/** The scheduler's own state, on which the explanation is based. */
type Known = Pick<CallTools, "catalog"> &
  Pricing &
  Pick<UpstreamTools, "coolDown" | "traffic"> &
  Pick<RoutingMemory, "keys" | "modelsOf" | "speeds" | "stickiness"> &
  Readonly<{
    services: Readonly<{
      channels: Pick<Services["channels"], "candidates">;
      settings: Pick<Services["settings"], "values">;
      tokens: Pick<Services["tokens"], "get">;
      users: Pick<Services["users"], "get">;
      policies?: Pick<NonNullable<Services["policies"]>, "of">;
    }>;
  }>;

/** Explains, without changing the scheduler's state, where a call of this group for this model would go. */
export function explain(context: Known, all: Iterable<ChannelEntry>, question: ExplainQuestion): Explanation {
  const { model, group, promptTokens, tokenId = null } = question;
  const [request = { prompt: {}, body: {} }] = question.request ? decodeAsEachFormat(model, question.request) : [];
  const routed = explainRoute(context, { model, group, promptTokens, tokenId, request });
  const { channels } = context.services;
  if (!routed) return explainModel(context, all, question, channels.candidates(group, model));
  const { first, route } = routed;
  if (!first) return { ...explainModel(context, all, question, null), route };
  const { candidate, candidates } = first;
  return { ...explainModel(context, all, { ...question, model: candidate.model }, candidates, candidate), route };
}

/** Explains the choice among the candidates of a model: its channels, or some of them. */
function explainModel(
  context: Known,
  all: Iterable<ChannelEntry>,
  question: ExplainQuestion,
  candidates: Candidates | null,
  routed: RouteCandidate | null = null,
): Explanation {
  const { services, coolDown, traffic, keys } = context;
  const { model, group } = question;
  const tiers = candidates?.tiers ?? [];
  const places = new Map(tiers.flatMap(({ channels }, at) => channels.map((channel) => [channel, at + 1] as const)));
  const bare = candidates?.model ?? model;
  const requirements = requirementsOf(context, question, bare);
  const lackOf = findShortcomings(context, question, candidates);
  const prefers = lackOf && ((channel: ChannelEntry) => lackOf(channel) === null);
  const token = keyOf(services, question);
  const policies = (token && services.policies?.of(token)) ?? [];
  const now = nowSeconds();
  const isKeyRefused = token !== undefined && !allowsKeyModel(null, token, model);
  const suits = (channel: ChannelEntry) =>
    ineligibleReason(channel, requirements) === null && !isKeyRefused && !refusalOf(channel);
  const shares = contenders(tiers, null, keys, suits, prefers);
  const suitsBest = (channel: ChannelEntry) => suits(channel) && (!prefers || prefers(channel));
  const sticky = explainStickyChannel(context, question, tiers, suitsBest);
  const known = new Set(places.keys());
  for (const channel of all) {
    if (channel.models.some((name) => channel.modelPrefix + name === model)) known.add(channel);
    else if (candidates === null && servesByPattern(channel, model)) known.add(channel);
  }
  const channels = [...known].map((channel): ExplainedChannel => {
    const { id, name, priority, weight } = channel;
    return {
      id,
      name,
      priority,
      weight,
      share: sticky?.holds ? Number(id === sticky.channelId) : (shares.get(channel) ?? 0),
      tier: places.get(channel) ?? null,
      inFlight: traffic.inFlight(id),
      keys: channel.keys.map((key, index) => keyState(channel, key, index)),
      reasons: reasonsAgainst(channel),
      policy: policyOf(channel),
    };
  });
  const fallbacks = services.settings.values.ModelFallbacks.get(model) ?? [];
  return {
    model: bare,
    fallbacks: fallbacks.filter((name) => services.channels.candidates(group, name) !== null),
    sticky,
    route: null,
    channels: channels.toSorted((a, b) => b.share - a.share || b.priority - a.priority || a.id - b.id),
  };

  function keyState(channel: ChannelEntry, key: string, index: number): ExplainedChannel["keys"][number] {
    const { isCooling, coolingUntil, failures } = coolingOf(coolDown, channel.id, key);
    const state = channel.disabledKeys.has(key) ? "disabled" : isCooling ? "cooling" : "ready";
    const until = state === "cooling" && coolingUntil !== null ? coolingUntil * 1000 : null;
    return { index, state, until, failures };
  }

  function refusalOf(channel: ChannelEntry): PolicyRefusal | null {
    return token ? policyRefusal(policies, { token, model, channel, now }) : null;
  }

  function policyOf(channel: ChannelEntry): RefusingPolicy | null {
    const policy = refusalOf(channel)?.policy;
    if (!policy || !token) return null;
    const owner = services.users.get(token.userId);
    const { name, isOfProject } = policy;
    return { name, isOfProject, organization: owner?.displayName || owner?.username || `#${token.userId}` };
  }

  function reasonsAgainst(channel: ChannelEntry): Reason[] {
    const refusal = refusalOf(channel);
    const reason = ineligibleReason(channel, requirements);
    const lack = shares.has(channel) ? null : (lackOf?.(channel) ?? null);
    return [
      ...(isKeyRefused ? ["key_model" as const] : []),
      ...(refusal ? [refusal.reason] : []),
      ...(places.has(channel) ? [] : outside(channel)),
      ...(reason ? [reason] : []),
      ...(lack ? [lack] : []),
      ...(keys.hasFit(channel, null, true) ? [] : ["no_key" as const]),
      ...(keys.hasFit(channel, null, true) && !keys.hasFit(channel, null, false) ? ["cooling" as const] : []),
    ];
  }

  /** Why a channel of the model does not serve the route's candidate. */
  function mismatchesOf(channel: ChannelEntry): Reason[] {
    const every = routed && services.channels.candidates(group, model);
    return every && findChannel(every.tiers, channel.id) ? channelMismatches(routed, channel) : [];
  }

  /** Whether others of its priority have a weight and it has none. */
  function isOutweighed({ weight, priority, modelPrefix }: ChannelEntry): boolean {
    const [heavy] = tiers.find((tier) => tier.priority === priority)?.channels ?? [];
    return weight === 0 && heavy !== undefined && heavy.weight > 0 && heavy.modelPrefix === modelPrefix;
  }

  /** Why the channel is no candidate. */
  function outside(channel: ChannelEntry): Reason[] {
    const { status, groups } = channel;
    const reasons: Reason[] = [];
    if (status === CHANNEL_STATUS.autoDisabled) reasons.push("auto_disabled");
    else if (status !== CHANNEL_STATUS.enabled) reasons.push("disabled");
    if (!groups.includes(group)) reasons.push("other_group");
    if (reasons.length === 0) reasons.push(...mismatchesOf(channel));
    if (reasons.length === 0 && isOutweighed(channel)) reasons.push("no_weight");
    return reasons.length > 0 ? reasons : ["other_prefix"];
  }
}

/** The API key that the question names; undefined: none, or there is no such key. */
const keyOf = ({ tokens }: Pick<Known["services"], "tokens">, { tokenId }: ExplainQuestion) =>
  tokenId === undefined ? undefined : tokens.get(tokenId);

/** What each channel's model lacks for the call; null if their models are alike. */
function findShortcomings(
  { modelsOf }: Known,
  { model, promptTokens, request }: ExplainQuestion,
  candidates: Candidates | null,
): ((channel: ChannelEntry) => Shortcoming | null) | null {
  const models = candidates && modelsOf(candidates, model);
  if (!models) return null;
  const needs = decodeAsEachFormat(model, request ?? {}).map(({ prompt, body }) => needsOf(prompt, body, promptTokens));
  if (needs.length === 0) needs.push(needsOf({}, {}, promptTokens));
  return (channel) => {
    const info = models.get(channel);
    return info ? (needs.map((need) => shortcomingOf(info, need)).find((lack) => lack !== null) ?? null) : null;
  };
}

/** What the call requires of a channel. Its kind is unknown, so any kind that the provider serves counts. */
function requirementsOf({ services, prices }: Known, question: ExplainQuestion, bare: string): Requirements {
  const { model, group, promptTokens } = question;
  const token = keyOf(services, question);
  const user = (token && services.users.get(token.userId)) ?? { acceptUnsetPrice: false };
  return {
    isServedBy: ({ type }) => providerOf(type) !== undefined,
    isLongerThan: (limit) => promptTokens > limit,
    hasPrice: (channel) =>
      priceOrNull(() => prices.of({ group, user }, model, upstreamModelOf(channel, model, bare))) !== null,
  };
}

/** The channel and key with a conversation's prompt in their cache. */
export type StickyChannel = Readonly<{
  channelId: number;
  /** Index among the channel's keys; -1: the channel no longer has the key. */
  keyIndex: number;
  by: RecognizedBy;
  /** Unix time in milliseconds until which it is remembered, unless another call extends it. */
  until: number;
  /** Channel and key are usable, so a call would go there. */
  holds: boolean;
}>;

/** Where the conversation's last call went, as the scheduler remembers; null if it does not. Changes nothing. */
function explainStickyChannel(
  { services, stickiness, keys }: Known,
  question: ExplainQuestion,
  tiers: readonly Tier[],
  suits: (channel: ChannelEntry) => boolean,
): StickyChannel | null {
  const { model, request } = question;
  const token = keyOf(services, question);
  if (!token || !request) return null;
  for (const { body, prompt } of decodeAsEachFormat(model, request)) {
    const { promptBound } = boundPrompt(prompt, JSON.stringify(body).length);
    const recognized = conversationKey({ userId: token.userId, tokenId: token.id, model, body, prompt, promptBound });
    const entry = recognized && stickiness.find(recognized.key);
    if (!entry) continue;
    const { channelId, key, until } = entry;
    const channel = findChannel(tiers, channelId);
    const holds = channel !== undefined && suits(channel) && keys.isFit(channel, key);
    return { channelId, keyIndex: channel?.keys.indexOf(key) ?? -1, by: recognized.by, until, holds };
  }
  return null;
}

/** The request as decoded by each format it may have, with the prompt in the shape of an OpenAI request. */
function decodeAsEachFormat(model: string, request: JsonObject): { body: JsonObject; prompt: JsonObject }[] {
  const body = { model, ...request };
  return [chatCompletions, responses, messages, generateContent].flatMap((endpoint) => {
    try {
      return [{ body, prompt: endpoint.read(body, { model }).prompt }];
    } catch (error) {
      if (error instanceof DecodeError || error instanceof GatewayError) return [];
      throw error;
    }
  });
}
