import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ReasoningFacts } from "../../../catalog/entry.ts";
import { nearestEffort } from "../../../catalog/nearest-effort.ts";
import type { Dropped } from "../../conversation/codec.ts";
import type { Conversation } from "../../conversation/conversation.ts";
import { compact, type JsonObject } from "../../json.ts";

const BUDGETS = { none: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 } as const;
const MAX_BUDGET = 24_576;
const LEVELS = ["minimal", "low", "medium", "high"] as const;

/** The default for unknown models is a budget: Gemini 2.5 supports nothing else, and later models still accept it. */
const DEFAULT_REASONING: ReasoningFacts = { style: "budget", can_disable: true };

/**
 * Translates requested reasoning to a level, a budget, or nothing for models that do not reason. Source:
 * https://ai.google.dev/gemini-api/docs/thinking
 */
export function thinkingConfig({ reasoning }: Conversation, info: ModelInfo, dropped: Dropped): JsonObject | null {
  const { effort, budgetTokens, enabled, show } = reasoning;
  const facts = info.reasoning ?? DEFAULT_REASONING;
  const requested = effort !== null || budgetTokens !== null || enabled !== null;
  if (!requested && show === null) return null;
  const disabled = effort === "none" || enabled === false || budgetTokens === 0;
  if (facts.style === "none") {
    if (requested && !disabled) dropped.add("reasoning_effort");
    return null;
  }
  if (!requested) return { includeThoughts: show };
  const amount =
    facts.style === "effort" ? levelFor(reasoning, facts, disabled) : budgetFor(reasoning, facts, disabled);
  return compact({ ...amount, includeThoughts: disabled ? false : (show ?? true) });
}

/**
 * The supported level closest to the requested one. Requests without reasoning get the lowest level, because these
 * models cannot turn it off.
 */
function levelFor(
  { effort, budgetTokens }: Conversation["reasoning"],
  { efforts = LEVELS }: ReasoningFacts,
  disabled: boolean,
): JsonObject {
  if (disabled) return { thinkingLevel: nearestEffort(efforts, "minimal") };
  const tokens = effort !== null ? BUDGETS[effort] : budgetTokens;
  if (tokens === null || tokens < 0) return {};
  const level = tokens <= 512 ? "minimal" : tokens <= 2048 ? "low" : tokens <= 8192 ? "medium" : "high";
  return { thinkingLevel: nearestEffort(efforts, level) };
}

function budgetFor(
  { effort, budgetTokens }: Conversation["reasoning"],
  facts: ReasoningFacts,
  disabled: boolean,
): JsonObject {
  if (disabled) return { thinkingBudget: withinBounds(0, facts) };
  // A negative budget lets the model decide.
  const tokens = budgetTokens ?? (effort === null ? null : BUDGETS[effort]);
  if (tokens === null) return {};
  return { thinkingBudget: tokens < 0 ? -1 : withinBounds(tokens, facts) };
}

/** Zero turns reasoning off if the model allows that; any other budget is clamped to the model's limits. */
function withinBounds(
  tokens: number,
  { min_budget = 0, max_budget = MAX_BUDGET, can_disable }: ReasoningFacts,
): number {
  if (tokens === 0 && can_disable !== false) return 0;
  return Math.min(max_budget, Math.max(min_budget, tokens));
}
