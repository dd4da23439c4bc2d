import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { RouteCandidate, RouteExperiment, Strategy } from "../../settings/option/model-routes.ts";
import type { CallTools, Services } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import type { RoutingMemory } from "../routing/memory.ts";
import { needsOf, type Shortcoming } from "../routing/model-fit.ts";
import type { Figures } from "../routing/routes/order.ts";
import { expectedOutput, queryOf, tagsOf } from "../routing/routes/plan.ts";
import { type ExclusionReason, rankCandidates } from "../routing/routes/rank.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";

/** The choice among a route's candidates, with the figures it is made on. */
export type ExplainedRoute = Readonly<{
  name: string;
  strategy: Strategy;
  /** Those that may serve the call come first, in the order in which they are tried. */
  candidates: readonly ExplainedCandidate[];
  /** What another model gets of its requests: a canary serves that share first, a mirror gets copies. */
  experiment: Readonly<{ mode: RouteExperiment["mode"]; model: string; percent: number }> | null;
}>;

export type ExplainedCandidate = Readonly<{
  model: string;
  weight: number;
  /** From 1; null: not tried. */
  position: number | null;
  /** Probability of being tried first, from 0 to 1; exploration aside. */
  share: number;
  /** Null: not tried. */
  figures: Figures | null;
  /** Why it is not tried, or why others come first; null if nothing applies. */
  reason: ExclusionReason | Shortcoming | "cooling" | null;
}>;

export type RoutedQuestion = Readonly<{
  model: string;
  group: string;
  promptTokens: number;
  tokenId: number | null;
  /** The request's prompt in the shape of an OpenAI request, and its body. */
  request: Readonly<{ prompt: JsonObject; body: JsonObject }>;
}>;

type Known = Pick<CallTools, "catalog"> &
  Pricing &
  Pick<UpstreamTools, "traffic"> &
  Pick<RoutingMemory, "keys" | "speeds"> &
  Readonly<{
    services: Readonly<{
      channels: Pick<Services["channels"], "candidates">;
      settings: Pick<Services["settings"], "values">;
      tokens: Pick<Services["tokens"], "get">;
      users: Pick<Services["users"], "get">;
    }>;
  }>;

/** No candidate is explored, and of weighted ones the heaviest comes first. */
const UNEXPLORED = () => 0.5;
const NO_HEADERS = new Headers();

/** Explains a call to a route, and which channels its first candidate has; null if the model is no route. */
export function explainRoute(
  context: Known,
  { model, group, promptTokens, tokenId, request }: RoutedQuestion,
): Readonly<{
  route: ExplainedRoute;
  first: Readonly<{ candidate: RouteCandidate; candidates: Candidates }> | null;
}> | null {
  const { settings, tokens, users, channels } = context.services;
  const route = settings.values.ModelRoutes.get(model);
  if (!route?.isEnabled) return null;
  const token = tokenId === null ? undefined : tokens.get(tokenId);
  const limits = channels.candidates(group, model) === null ? null : token?.modelLimits;
  const query = queryOf({
    group,
    promptTokens,
    user: (token && users.get(token.userId)) ?? { acceptUnsetPrice: false },
    needs: needsOf(request.prompt, request.body, promptTokens),
    tags: tagsOf(NO_HEADERS, request.body),
    outputTokens: expectedOutput({ maxOutputTokens: null, choices: 1 }),
    allows: (name) => !limits || limits.has(name),
  });
  const { ranked, excluded } = rankCandidates({ ...context, random: UNEXPLORED }, route, query);
  const [first] = ranked;
  const rivals = ranked.filter(({ rank }) => rank === first?.rank);
  const total = rivals.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = (rival: (typeof ranked)[number]): number => {
    if (route.strategy !== "weighted" || total === 0) return Number(rival === first);
    return rivals.includes(rival) ? rival.weight / total : 0;
  };
  return {
    first: first ? { candidate: first.candidate, candidates: first.candidates } : null,
    route: {
      name: route.name,
      strategy: route.strategy,
      experiment: route.experiment && {
        mode: route.experiment.mode,
        model: route.experiment.candidate.model,
        percent: route.experiment.percent,
      },
      candidates: [
        ...ranked.map((each, at) => ({
          model: each.candidate.model,
          weight: each.weight,
          position: at + 1,
          share: shareOf(each),
          figures: each.figures,
          reason: each.rank === 2 ? ("cooling" as const) : each.lacks,
        })),
        ...excluded.map(({ candidate: { model, weight }, reason }) => {
          return { model, weight, position: null, share: 0, figures: null, reason };
        }),
      ],
    },
  };
}
