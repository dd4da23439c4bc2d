import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";
import type { ModelRoute } from "../../../settings/option/model-routes.ts";
import type { ExperimentPart } from "../../call/route.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import type { RoutingMemory } from "../memory.ts";
import { contenderOf, type RouteQuery } from "./rank.ts";

/** What these functions work with. */
export type AssignExperimentContext = Uses<"channels"> &
  Pick<CallTools, "catalog" | "random"> &
  Pricing &
  Pick<UpstreamTools, "traffic"> &
  Pick<RoutingMemory, "countedConversations" | "keys" | "speeds">;

/** Which conversations have been counted: `isFirst` says so once for each. */
export type CountedConversations = Readonly<{ isFirst(experiment: string, conversation: bigint): boolean }>;

const MAX_CONVERSATIONS = 20_000;

/** Remembers which conversations an experiment has counted. */
export function createCountedConversations(): CountedConversations {
  const seen = recentEntries<string, true>(MAX_CONVERSATIONS);
  return {
    isFirst(experiment, conversation) {
      const key = `${experiment}/${conversation}`;
      if (seen.has(key)) return false;
      seen.set(key, true);
      return true;
    },
  };
}

/**
 * Draws the part of a call in its route's experiment; null: none. The calls of a conversation draw the same part of a canary. A
 * call takes no part if the new model cannot serve it now.
 */
export function drawPart(
  context: AssignExperimentContext,
  route: ModelRoute,
  query: RouteQuery,
  conversation: bigint | null,
): ExperimentPart | null {
  const { experiment: rule } = route;
  if (!rule) return null;
  const isCanary = rule.mode === "canary";
  const drawn = isCanary && conversation !== null ? shareOf(rule.key, conversation) : context.random() * 100;
  const part = isCanary ? canaryPart(drawn, rule.percent) : drawn < rule.percent ? "mirror" : null;
  if (part === null) return null;
  const found = contenderOf(context, rule.candidate, query);
  if (typeof found === "string" || found.rank === 2) return null;
  const isCounted = !isCanary || conversation === null || context.countedConversations.isFirst(rule.key, conversation);
  const target = { model: rule.candidate.model, candidates: found.candidates };
  return { route: route.name, rule, part, target, isCounted };
}

/** As many calls are compared with those of the canary, where there are as many. */
const canaryPart = (drawn: number, percent: number) =>
  drawn < percent ? "trial" : drawn < 2 * percent ? "control" : null;

/** A number from 0 to 100 that depends on the conversation alone, for each experiment another one. */
const shareOf = (experiment: string, conversation: bigint): number =>
  (Bun.hash.xxHash32(`${experiment}/${conversation}`) / 2 ** 32) * 100;
