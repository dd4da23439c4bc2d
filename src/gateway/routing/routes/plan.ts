import type { Candidates } from "../../../domain/channels/routing/routing-index.ts";
import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import type { ModelRoute } from "../../../settings/option/model-routes.ts";
import { allowsModel } from "../../auth/authorize.ts";
import { allowedCandidates } from "../../auth/policies.ts";
import type { Call } from "../../call/call.ts";
import { typicalTokens } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import type { QueueRule, RoutePlan, RouteTarget } from "../../call/route.ts";
import { splitTags } from "../../money/call-labels.ts";
import { conversationKey } from "../conversation-key.ts";
import type { RoutingMemory } from "../memory.ts";
import { type Needs, needsOf } from "../model-fit.ts";
import type { AssignExperimentContext } from "./assign-experiment.ts";
import { drawPart } from "./assign-experiment.ts";
import type { Load } from "./measure.ts";
import { type ExclusionReason, type RankedCandidate, type RouteQuery, rankCandidates } from "./rank.ts";

/** What these functions work with. */
export type PlanContext = AssignExperimentContext & Pick<RoutingMemory, "conversationModels" | "speeds">;

/**
 * Chooses the models of a route for a call. A conversation stays with its model while that can serve it. Throws GatewayError
 * if no candidate can serve the call.
 */
export function planRoute(context: PlanContext, call: Call, route: ModelRoute): RoutePlan {
  const { caller, summary, prompt, body, promptBound } = call;
  const promptTokens = typicalTokens(promptBound);
  const needs = needsOf(prompt, body.json, promptTokens);
  const isModel = context.services.channels.candidates(caller.group, route.name) !== null;
  const query = queryOf({
    needs,
    promptTokens,
    group: caller.group,
    user: caller.user,
    tags: tagsOf(call.request.headers, body.json),
    outputTokens: expectedOutput(summary),
    // A key is limited to the name of a route, unless the name is a model, too: then to the models.
    allows: (model) => (!isModel && !caller.policies) || allowsRouted(caller, model, isModel),
    policies: caller.policies,
  });
  const { ranked, excluded } = rankCandidates(context, route, query);
  if (ranked.length > 0) {
    const conversation = route.strategy === "priority" ? null : conversationOf(call);
    const earlier = conversation === null ? null : context.conversationModels.find(conversation);
    const isEarlier = ({ candidate, rank }: RankedCandidate) => candidate.model === earlier && rank === ranked[0]?.rank;
    // A conversation that has begun elsewhere stays there.
    const experiment =
      route.experiment && !caller.ownKeys && (earlier === null || earlier === route.experiment.candidate.model)
        ? drawPart(context, route, query, conversation ?? conversationOf(call))
        : null;
    const ordered = ranked.toSorted((a, b) => Number(isEarlier(b)) - Number(isEarlier(a)));
    const targets = ordered.map((each) => ({ model: each.candidate.model, candidates: withOwnKeys(caller, each) }));
    return {
      conversation,
      experiment,
      queue: route.queue && queueRule(route.name, route.queue, caller.group),
      hedge: route.hedge && call.summary.stream ? { route: route.name, ...route.hedge } : null,
      targets: experiment?.part === "trial" ? withFirst(experiment.target, targets) : targets,
    };
  }
  const params = { route: route.name };
  if (excluded.some(({ reason }) => UNAVAILABLE.has(reason))) {
    throw new GatewayError(503, "model_not_available", { code: "gateway_route_no_channel", params });
  }
  const details = { type: "invalid_request_error", param: "model" } as const;
  throw new GatewayError(400, "route_not_applicable", { code: "gateway_route_conditions", params }, details);
}

/** A candidate's channels after the caller's own keys, which have no tag and no region. */
function withOwnKeys({ ownKeys, policies }: Call["caller"], { candidate, candidates }: RankedCandidate): Candidates {
  const { model, channelTags, regions } = candidate;
  if (!ownKeys || channelTags || regions) return candidates;
  const merged = ownKeys.merge(candidates, model);
  return policies ? allowedCandidates(policies, merged, model) : merged;
}

/** Reasons that lie in the channels and prices, not in the call. */
const UNAVAILABLE: ReadonlySet<ExclusionReason> = new Set(["no_channel", "no_region", "no_price"]);

const withFirst = (first: RouteTarget, others: readonly RouteTarget[]): readonly RouteTarget[] => [
  first,
  ...others.filter(({ candidates }) => candidates !== first.candidates),
];

/** Policies hold for every model behind a route, the limits of a key for models only. */
const allowsRouted = (caller: Call["caller"], model: string, isModel: boolean): boolean =>
  allowsModel(isModel ? caller : { ...caller, token: null }, model);

function queueRule(route: string, { groups, ...limits }: NonNullable<ModelRoute["queue"]>, group: string): QueueRule {
  const at = groups.indexOf(group);
  return { route, ...limits, priority: at < 0 ? groups.length : at };
}

function conversationOf({ caller, summary, body, prompt, promptBound }: Call): bigint | null {
  const source = { userId: caller.user.id, tokenId: caller.token?.id ?? 0, model: summary.model };
  return conversationKey({ ...source, body: body.json, prompt, promptBound })?.key ?? null;
}

type QueryInput = Readonly<{ needs: Needs; tags: ReadonlySet<string> }> &
  Pick<RouteQuery, "allows" | "policies"> &
  Load;

/** What a route must know about a call. */
export function queryOf({ needs, tags, allows, policies, ...load }: QueryInput): RouteQuery {
  const { group, promptTokens } = load;
  const { images: image, audio, files: file, tools } = needs;
  return {
    needs,
    load,
    allows,
    policies,
    facts: { promptTokens, image, audio, file, tools, tags, group, nowMs: Date.now() },
  };
}

/** Tokens of a typical response: what strategies compare, not what is held. */
const TYPICAL_OUTPUT_TOKENS = 500;

/** The length of response by which candidates are compared. */
export const expectedOutput = ({ maxOutputTokens, choices }: Pick<Call["summary"], "maxOutputTokens" | "choices">) =>
  Math.min(maxOutputTokens ?? TYPICAL_OUTPUT_TOKENS, TYPICAL_OUTPUT_TOKENS) * choices;

const MAX_TAGS = 32;

/**
 * The tags of a call: the entries of `X-Sluice-Tags`, and what the request's `metadata` says: `tags` as a list or separated
 * by commas, and each other text as `name=value`.
 */
export function tagsOf(headers: Headers, body: JsonObject): ReadonlySet<string> {
  const tags = splitTags(headers.get("x-sluice-tags") ?? "");
  for (const [name, value] of Object.entries(recordOf(body.metadata) ?? {})) {
    const text = textOf(value);
    if (name !== "tags") tags.push(...(text === null ? [] : [`${name}=${text}`]));
    else if (text !== null) tags.push(...splitTags(text));
    else if (Array.isArray(value)) tags.push(...value.filter((entry) => typeof entry === "string"));
  }
  return new Set(tags.slice(0, MAX_TAGS));
}
