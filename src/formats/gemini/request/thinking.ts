import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ReasoningFacts } from "../../../catalog/entry.ts";
import { nearestEffort } from "../../../catalog/nearest-effort.ts";
import type { Dropped } from "../../conversation/codec.ts";
import type { Amount, Conversation, ReasoningSetting } from "../../conversation/conversation.ts";
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
  const { setting, show } = reasoning;
  const facts = info.reasoning ?? DEFAULT_REASONING;
  if (!setting && show === null) return null;
  const isOff = setting?.type === "off";
  if (facts.style === "none") {
    if (setting && !isOff) dropped.add("reasoning_effort");
    return null;
  }
  if (!setting) return { includeThoughts: show };
  const amount = facts.style === "effort" ? levelFor(setting, facts) : budgetFor(setting, facts);
  if (isOff && amount.thinkingBudget !== 0) dropped.add("reasoning_effort");
  return compact({ ...amount, includeThoughts: isOff ? false : (show ?? true) });
}

/**
 * The supported level closest to the requested one. Requests without reasoning get the lowest level, because these
 * models cannot turn it off.
 */
function levelFor(setting: ReasoningSetting, { efforts = LEVELS }: ReasoningFacts): JsonObject {
  if (setting.type === "off") return { thinkingLevel: nearestEffort(efforts, "minimal") };
  const tokens = tokensOf(setting);
  if (tokens === null) return {};
  const level = tokens <= 512 ? "minimal" : tokens <= 2048 ? "low" : tokens <= 8192 ? "medium" : "high";
  return { thinkingLevel: nearestEffort(efforts, level) };
}

function budgetFor(setting: ReasoningSetting, facts: ReasoningFacts): JsonObject {
  if (setting.type === "off") return { thinkingBudget: withinBounds(0, facts) };
  const tokens = tokensOf(setting);
  // A negative budget lets the model decide.
  return { thinkingBudget: tokens === null ? -1 : withinBounds(tokens, facts) };
}

/** Null: the model decides. */
function tokensOf(setting: Amount): number | null {
  if (setting.type === "budget") return setting.tokens;
  return setting.effort === undefined ? null : BUDGETS[setting.effort];
}

/** Zero turns reasoning off if the model allows that; any other budget is clamped to the model's limits. */
function withinBounds(
  tokens: number,
  { min_budget = 0, max_budget = MAX_BUDGET, can_disable }: ReasoningFacts,
): number {
  if (tokens === 0 && can_disable !== false) return 0;
  return Math.min(max_budget, Math.max(min_budget, tokens));
}
