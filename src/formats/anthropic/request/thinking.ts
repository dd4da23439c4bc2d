import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { Dropped } from "../../conversation/codec.ts";
import type { Conversation, Effort } from "../../conversation/conversation.ts";
import type { JsonObject } from "../../json.ts";
import { onlyAdaptive, supportsAdaptive, supportsBudget } from "../models.ts";

const MIN_BUDGET = 1024;
/** Tokens left for the answer when the thinking budget reaches the output limit. */
export const ANSWER_TOKENS = 1024;
/** An answer cannot do with fewer. */
const MIN_ANSWER_TOKENS = 256;
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
  /** Tokens of `max_tokens` that are for thinking; 0: no budget is set. */
  budget: number;
}>;

const OFF: Thinking = { members: {}, on: false, strict: false, unmet: false, budget: 0 };

/** Translates requested reasoning for this model: disabled, a budget, or adaptive thinking with an effort. */
export function thinkingFor(info: ModelInfo, { reasoning, sampling, toolChoice, extra }: Conversation): Thinking {
  const { setting, show } = reasoning;
  const adaptive = onlyAdaptive(info);
  if (setting?.type === "off") {
    const canReason = adaptive || supportsBudget(info);
    const canDisable = canReason && info.reasoning?.can_disable !== false;
    const members: JsonObject = canDisable ? { thinking: { type: "disabled" } } : adaptive ? effortOf("low") : {};
    return { ...OFF, members, on: adaptive, unmet: canReason && !canDisable };
  }
  const effort = setting?.type === "effort" || setting?.type === "adaptive" ? (setting.effort ?? null) : null;
  // For Anthropic's own clients, effort controls the whole response and does not enable thinking.
  const requested = setting !== null && !(setting.type === "effort" && extra.dialect === "anthropic");
  // Anthropic rejects thinking together with a forced tool.
  const forced = toolChoice !== null && toolChoice.type !== "auto" && toolChoice.type !== "none";
  if (adaptive || (supportsAdaptive(info) && setting?.type === "adaptive")) {
    const display = show === false ? "omitted" : "summarized";
    const thinking = requested && !forced ? { thinking: { type: "adaptive", display } } : null;
    const unmet = requested && forced && effort === null;
    return { ...OFF, members: { ...thinking, ...effortOf(effort) }, on: adaptive || thinking !== null, unmet };
  }
  const members = extra.dialect === "anthropic" ? effortOf(effort) : {};
  if (!requested || forced || !supportsBudget(info)) return { ...OFF, members, unmet: requested };
  const requestedBudget = setting.type === "budget" ? setting.tokens : BUDGETS[effort ?? "medium"];
  // The limit includes the budget. Anthropic rejects a limit above the model's own, the caller expects no higher one.
  const limit = sampling.maxOutputTokens ?? info.output_limit;
  if (limit !== null && limit < MIN_BUDGET + MIN_ANSWER_TOKENS) return { ...OFF, members, unmet: true };
  const most = limit === null ? requestedBudget : limit - ANSWER_TOKENS - 1;
  const budget = Math.max(MIN_BUDGET, Math.min(requestedBudget, most));
  const display = show === null ? null : { display: show ? "summarized" : "omitted" };
  return {
    members: { thinking: { type: "enabled", budget_tokens: budget, ...display }, ...members },
    on: true,
    strict: true,
    unmet: false,
    budget,
  };
}

/** How an API of Claude writes the blocks of a message. */
export type BlockKinds = Readonly<{ isReasoning(block: JsonObject): boolean; isCall(block: JsonObject): boolean }>;

/**
 * With thinking enabled, the assistant turn that continues must begin with a thinking block. Turns by another model do
 * not, so thinking is disabled for them.
 */
export function thinkingAfter(
  messages: readonly Readonly<{ role: string; content: readonly JsonObject[] }>[],
  thinking: Thinking,
  { isReasoning, isCall }: BlockKinds,
  dropped: Dropped,
): Thinking {
  const turn = messages.findLast(({ role }) => role === "assistant");
  if (!thinking.strict || !turn || isReasoning(turn.content[0] ?? {})) return thinking;
  if (turn !== messages.at(-1) && !turn.content.some(isCall)) return thinking;
  dropped.add("reasoning_effort");
  const { thinking: _, ...members } = thinking.members;
  return { ...OFF, members };
}

const effortOf = (effort: Exclude<Effort, "none"> | null): JsonObject =>
  effort === null ? {} : { output_config: { effort: effort === "minimal" ? "low" : effort } };
