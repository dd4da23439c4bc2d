import type { Conversation, Effort } from "../conversation.ts";
import type { JsonObject } from "../json.ts";

/** These think adaptively and refuse budgets and sampling settings (providers.md 2.3.1). */
const ADAPTIVE_ONLY = /claude-(opus-(4-[7-9]|[5-9])|sonnet-[5-9]|fable-[5-9]|haiku-[5-9])/;
/** These think, with a budget. */
const THINKS = /claude-(3-7|3\.7|(opus|sonnet|haiku)-4|4)/;
const LEAST_BUDGET = 1024;
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
  /** Sampling settings are refused beside it. */
  on: boolean;
  /** The limit the answer needs so that something is left beside the thought. */
  leastMaxTokens: number;
}>;

const OFF: Thinking = { members: {}, on: false, leastMaxTokens: 0 };

/** What a wish to think becomes for this model: nothing, a budget, or adaptive thinking with an effort. */
export function thinkingFor(model: string, { reasoning, toolChoice }: Conversation): Thinking {
  const { effort, budgetTokens, enabled, show } = reasoning;
  const adaptive = ADAPTIVE_ONLY.test(model);
  const off = effort === "none" || enabled === false || budgetTokens === 0;
  const wanted = !off && (effort !== null || budgetTokens !== null || enabled === true);
  if (off)
    return adaptive || THINKS.test(model) ? { ...OFF, members: { thinking: { type: "disabled" } }, on: adaptive } : OFF;
  // A forced tool and thought exclude each other.
  const forced = toolChoice !== null && toolChoice.type !== "auto" && toolChoice.type !== "none";
  if (adaptive) {
    const level = effort === null ? null : effort === "minimal" ? "low" : effort;
    const thinking =
      wanted && !forced ? { thinking: { type: "adaptive", display: show === false ? "omitted" : "summarized" } } : null;
    return {
      members: { ...thinking, ...(level && { output_config: { effort: level } }) },
      on: true,
      leastMaxTokens: 0,
    };
  }
  if (!wanted || forced || !THINKS.test(model)) return OFF;
  const asked = budgetTokens !== null && budgetTokens > 0 ? budgetTokens : BUDGETS[effort ?? "medium"];
  const budget = Math.max(LEAST_BUDGET, asked);
  return {
    members: { thinking: { type: "enabled", budget_tokens: budget } },
    on: true,
    leastMaxTokens: budget + 1,
  };
}
