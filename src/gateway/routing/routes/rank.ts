import type { PolicySet } from "../../../domain/accounts/organizations/policies/policy.ts";
import type { Candidates } from "../../../domain/channels/routing/routing-index.ts";
import type { ModelRoute, RouteCandidate } from "../../../settings/option/model-routes.ts";
import { allowedCandidates } from "../../auth/policies.ts";
import { upstreamNames } from "../../billing/price.ts";
import type { GatewayContext } from "../../call/context.ts";
import { type Needs, type Shortcoming, shortcomingOf } from "../model-fit.ts";
import { type CallFacts, type UnmetCondition, unmetCondition } from "./conditions.ts";
import { type Load, measure } from "./measure.ts";
import { type Figures, orderContenders } from "./order.ts";

/** Why a candidate does not serve the call. */
export type ExclusionReason = UnmetCondition | "no_channel" | "not_allowed" | "no_price";

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

type Known = Pick<GatewayContext, "keys" | "traffic" | "speeds" | "prices" | "catalog" | "random"> &
  Readonly<{
    services: Readonly<{
      channels: Pick<GatewayContext["services"]["channels"], "candidates">;
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
  const candidates = served && policies ? allowedCandidates(policies, served, model) : served;
  if (!candidates || candidates.tiers.length === 0) return "no_channel";
  const { figures, isReady } = measure(context, model, candidates, load);
  if (figures.cost === null) return "no_price";
  const lacks = lackOf(context, candidate, candidates, needs);
  return { candidate, candidates, lacks, weight, rank: isReady ? (lacks ? 1 : 0) : 2, figures };
}

function lackOf(
  { catalog }: Pick<GatewayContext, "catalog">,
  { model }: RouteCandidate,
  candidates: Candidates,
  needs: Needs,
): Shortcoming | null {
  const [name = model] = upstreamNames(candidates, model);
  return shortcomingOf(catalog().find(name), needs);
}

/** The channels that have one of the tags. */
export function withTags(all: Candidates, tags: ReadonlySet<string>): Candidates {
  const tiers = all.tiers.map(({ priority, channels }) => ({
    priority,
    channels: channels.filter(({ tag }) => tags.has(tag)),
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
  const { channelTags } = candidate;
  if (!all || !channelTags) return all;
  const known = narrowed.get(all) ?? new WeakMap<RouteCandidate, Candidates>();
  narrowed.set(all, known);
  let tagged = known.get(candidate);
  if (!tagged) {
    tagged = withTags(all, channelTags);
    known.set(candidate, tagged);
  }
  return tagged.tiers.length > 0 ? tagged : null;
}
