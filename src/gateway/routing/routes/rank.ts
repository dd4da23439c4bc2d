import { isInRegions, type PolicySet } from "../../../domain/accounts/organizations/policies/policy.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Candidates } from "../../../domain/channels/routing/routing-index.ts";
import type { ModelRoute, RouteCandidate } from "../../../settings/option/model-routes.ts";
import { allowedCandidates } from "../../auth/policies.ts";
import type { CallTools, Services } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import { upstreamNames } from "../../money/price.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import type { RoutingMemory } from "../memory.ts";
import { type Needs, type Shortcoming, shortcomingOf } from "../model-fit.ts";
import { type CallFacts, type UnmetCondition, unmetCondition } from "./conditions.ts";
import { type Load, measure } from "./measure.ts";
import { type Figures, orderContenders } from "./order.ts";

/** Why a candidate does not serve the call. */
export type ExclusionReason = UnmetCondition | "no_channel" | "no_region" | "not_allowed" | "no_price";

export type ExcludedCandidate = Readonly<{
  candidate: RouteCandidate;
  reason: ExclusionReason;
}>;

export type RankedCandidate = Readonly<{
  candidate: RouteCandidate;
  candidates: Candidates;
  /** What its model lacks, according to the catalog; null: nothing. */
  lacks: Shortcoming | null;
  weight: number;
  rank: 0 | 1 | 2;
  figures: Figures;
}>;

/** A call to a route. */
export type RouteQuery = Readonly<{
  facts: CallFacts;
  needs: Needs;
  load: Load;
  /** Whether the caller may use a model. */
  allows(model: string): boolean;
  /** The policies of the caller's organization. */
  policies?: PolicySet | undefined;
}>;

export type Ranking = Readonly<{
  ranked: readonly RankedCandidate[];
  excluded: readonly ExcludedCandidate[];
}>;

type Known = Pick<CallTools, "catalog" | "random"> &
  Pricing &
  Pick<UpstreamTools, "traffic"> &
  Pick<RoutingMemory, "keys" | "speeds"> &
  Readonly<{
    services: Readonly<{
      channels: Pick<Services["channels"], "candidates">;
    }>;
  }>;

/** The candidates of a route that can serve a call, in the order in which to try them, and why the others cannot. */
export function rankCandidates(context: Known, route: ModelRoute, query: RouteQuery): Ranking {
  const ranked: RankedCandidate[] = [];
  const excluded: ExcludedCandidate[] = [];
  for (const candidate of route.candidates) {
    const found = contenderOf(context, candidate, query);
    if (typeof found === "string") excluded.push({ candidate, reason: found });
    else ranked.push(found);
  }
  return { ranked: orderContenders(route.strategy, ranked, context.random), excluded };
}

/** A candidate's figures for a call, or why it does not serve it. */
export function contenderOf(
  context: Known,
  candidate: RouteCandidate,
  { facts, needs, load, allows, policies }: RouteQuery,
): RankedCandidate | ExclusionReason {
  const { model, weight } = candidate;
  const unmet = unmetCondition(candidate.conditions, facts);
  if (unmet) return unmet;
  if (!allows(model)) return "not_allowed";
  const served = candidatesOf(context, facts.group, candidate);
  if (!served) return isServedElsewhere(context, facts.group, candidate) ? "no_region" : "no_channel";
  const candidates = policies ? allowedCandidates(policies, served, model) : served;
  if (candidates.tiers.length === 0) return "no_channel";
  const { figures, isReady } = measure(context, model, candidates, load);
  if (figures.cost === null) return "no_price";
  const lacks = lackOf(context, candidate, candidates, needs);
  return { candidate, candidates, lacks, weight, rank: isReady ? (lacks ? 1 : 0) : 2, figures };
}

function lackOf(
  { catalog }: Pick<CallTools, "catalog">,
  { model }: RouteCandidate,
  candidates: Candidates,
  needs: Needs,
): Shortcoming | null {
  const [name = model] = upstreamNames(candidates, model);
  return shortcomingOf(catalog().find(name), needs);
}

type ChannelConditions = Pick<RouteCandidate, "channelTags" | "regions">;

/** Why a channel does not serve a candidate of a route; empty: it does. */
export const channelMismatches = (
  { channelTags, regions }: ChannelConditions,
  channel: Pick<ChannelEntry, "tag" | "setting">,
): ("other_tag" | "other_region")[] => [
  ...(channelTags && !channelTags.has(channel.tag) ? ["other_tag" as const] : []),
  ...(regions && !isInRegions(channel, regions) ? ["other_region" as const] : []),
];

/** The channels that meet the conditions. */
export function matchingChannels(all: Candidates, conditions: ChannelConditions): Candidates {
  const tiers = all.tiers.map(({ priority, channels }) => ({
    priority,
    channels: channels.filter((channel) => channelMismatches(conditions, channel).length === 0),
  }));
  return {
    model: all.model,
    tiers: tiers.filter(({ channels }) => channels.length > 0),
  };
}

const narrowed = new WeakMap<Candidates, WeakMap<RouteCandidate, Candidates>>();

/** The channels of a candidate, best tier first; null: none. The same object while the channels stay the same. */
export function candidatesOf(
  { services }: Pick<Known, "services">,
  group: string,
  candidate: RouteCandidate,
): Candidates | null {
  const all = services.channels.candidates(group, candidate.model);
  if (!all || !(candidate.channelTags || candidate.regions)) return all;
  const known = narrowed.get(all) ?? new WeakMap<RouteCandidate, Candidates>();
  narrowed.set(all, known);
  let matching = known.get(candidate);
  if (!matching) {
    matching = matchingChannels(all, candidate);
    known.set(candidate, matching);
  }
  return matching.tiers.length > 0 ? matching : null;
}

/** Whether a candidate has channels, in other regions only. */
function isServedElsewhere(
  { services }: Pick<Known, "services">,
  group: string,
  { model, channelTags, regions }: RouteCandidate,
): boolean {
  const all = regions && services.channels.candidates(group, model);
  return all ? matchingChannels(all, { channelTags, regions: null }).tiers.length > 0 : false;
}
