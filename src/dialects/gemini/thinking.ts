import type { Dropped } from "../codec.ts";
import { compact } from "../compact.ts";
import type { Conversation } from "../conversation.ts";
import type { JsonObject } from "../json.ts";

const BUDGETS = { none: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 24_576, max: 24_576 } as const;

/** Before Gemini 3; names without a number are the newest. */
export const isOld = (model: string): boolean => /gemini-[12]\b/.test(model);

/** Gemini 3 takes levels, Gemini 2.5 budgets, older ones and those that draw or speak do not think (providers.md 4.6). */
export function thinkingConfig({ reasoning }: Conversation, model: string, dropped: Dropped): JsonObject | null {
  const { effort, budgetTokens, enabled, show } = reasoning;
  const asked = effort !== null || budgetTokens !== null || enabled !== null;
  const levels = /gemini-([3-9]|\d\d)/.test(model);
  if (!asked && show === null) return null;
  const off = effort === "none" || enabled === false || budgetTokens === 0;
  if (/image|tts|audio|live/.test(model) || !(levels || /gemini-2\.5|gemini-.*latest/.test(model))) {
    if (asked && !off) dropped.add("reasoning_effort");
    return null;
  }
  if (!asked) return { includeThoughts: show };
  const measure = levels
    ? { thinkingLevel: off ? least(model) : levelOf(reasoning, model) }
    : { thinkingBudget: off ? within(0, model) : budgetOf(reasoning, model) };
  return compact({ ...measure, includeThoughts: off ? false : (show ?? true) });
}

/** Pro models cannot be kept from thinking. */
const least = (model: string): string => (model.includes("pro") ? "low" : "minimal");

function levelOf({ effort, budgetTokens }: Conversation["reasoning"], model: string): string | null {
  const tokens = effort !== null ? BUDGETS[effort] : budgetTokens;
  if (tokens === null || tokens < 0) return null;
  if (tokens <= 512) return least(model);
  if (tokens <= 2048) return "low";
  // The first Gemini 3 Pro knows no level between.
  return tokens <= 8192 && !/gemini-3-pro/.test(model) ? "medium" : "high";
}

function budgetOf({ effort, budgetTokens }: Conversation["reasoning"], model: string): number | null {
  if (budgetTokens !== null) return budgetTokens < 0 ? -1 : within(budgetTokens, model);
  return effort === null ? null : within(BUDGETS[effort], model);
}

/** Each model has bounds of its own; only Pro cannot think not at all. */
function within(tokens: number, model: string): number {
  if (model.includes("pro")) return Math.min(32_768, Math.max(128, tokens));
  if (tokens > 0 && model.includes("lite")) return Math.min(24_576, Math.max(512, tokens));
  return Math.min(24_576, tokens);
}
