import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { Conversation, Effort } from "../../conversation/conversation.ts";
import type { JsonObject } from "../../json.ts";
import { onlyAdaptive, supportsAdaptive, supportsBudget } from "../models.ts";

const MIN_BUDGET = 1024;
/** Tokens left for the answer when the thinking budget reaches the output limit. */
export const MIN_ANSWER_TOKENS = 1024;
const BUDGETS: Readonly<Record<Exclude<Effort, "none">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
};

export type Thinking = Readonly<{
  members: JsonObject;
  /** Thinking is on, so Anthropic rejects sampling settings. */
  on: boolean;
  /** The assistant turn must begin with a thinking block, so it cannot continue a turn by another model. */
  strict: boolean;
  /** The client requests reasoning that this model or request cannot have. */
  unmet: boolean;
  /** The lowest `max_tokens` that leaves room for an answer after the thinking budget. */
  leastMaxTokens: number;
}>;

const OFF: Thinking = { members: {}, on: false, strict: false, unmet: false, leastMaxTokens: 0 };

/** Translates requested reasoning for this model: disabled, a budget, or adaptive thinking with an effort. */
export function thinkingFor(info: ModelInfo, { reasoning, toolChoice, extra }: Conversation): Thinking {
  const { effort, budgetTokens, enabled, show } = reasoning;
  const adaptive = onlyAdaptive(info);
  const off = effort === "none" || enabled === false || budgetTokens === 0;
  if (off) {
    const canDisable = (adaptive || supportsBudget(info)) && info.reasoning?.can_disable !== false;
    return { ...OFF, ...(canDisable && { members: { thinking: { type: "disabled" } } }), on: adaptive };
  }
  // For Anthropic's own clients, effort controls the whole response and does not enable thinking.
  const requestedEffort = extra.dialect === "anthropic" ? null : effort;
  const requested = requestedEffort !== null || budgetTokens !== null || enabled === true;
  // Anthropic rejects thinking together with a forced tool.
  const forced = toolChoice !== null && toolChoice.type !== "auto" && toolChoice.type !== "none";
  if (adaptive || (supportsAdaptive(info) && budgetTokens === -1)) {
    const display = show === false ? "omitted" : "summarized";
    const thinking = requested && !forced ? { thinking: { type: "adaptive", display } } : null;
    const unmet = requested && forced && effort === null;
    return { ...OFF, members: { ...thinking, ...effortOf(effort) }, on: adaptive || thinking !== null, unmet };
  }
  const members = extra.dialect === "anthropic" ? effortOf(effort) : {};
  if (!requested || forced || !supportsBudget(info)) return { ...OFF, members, unmet: requested };
  const requestedBudget = budgetTokens !== null && budgetTokens > 0 ? budgetTokens : BUDGETS[effort ?? "medium"];
  // Anthropic rejects an output limit above the model's own, and the limit must exceed the budget.
  const most = info.output_limit === null ? requestedBudget : info.output_limit - MIN_ANSWER_TOKENS - 1;
  const budget = Math.max(MIN_BUDGET, Math.min(requestedBudget, most));
  return {
    members: { thinking: { type: "enabled", budget_tokens: budget }, ...members },
    on: true,
    strict: true,
    unmet: false,
    leastMaxTokens: budget + 1,
  };
}

/** The same request with thinking disabled, where the conversation does not allow it. */
export const withoutReasoning = ({ members: { thinking: _, ...members } }: Thinking): Thinking => ({ ...OFF, members });

const effortOf = (effort: Exclude<Effort, "none"> | null): JsonObject =>
  effort === null ? {} : { output_config: { effort: effort === "minimal" ? "low" : effort } };
