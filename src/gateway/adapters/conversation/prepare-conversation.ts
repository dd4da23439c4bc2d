import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ChatDialect, Conversation, Reasoning } from "../../../formats/conversation/conversation.ts";

/** Settings that affect chat requests. */
export type ConversationSettings = Readonly<{
  /** Catalog information about an upstream model. */
  modelInfo(model: string): ModelInfo;
  /** The output limit in tokens where a format requires one and the client set none: the model's own limit if known. */
  defaultMaxTokens(model: string): number;
  /** The output limit, in tokens, from which the `-thinking` suffix derives its budget if the client set none. */
  thinkingSuffixTokens(model: string): number;
  /** Headers that the settings add to calls of a model. */
  headersOf(model: string): Readonly<Record<string, string>> | null;
  /** The version of Google's API. `ofChannel`: the channel's setting; empty if none. */
  geminiVersion(model: string, ofChannel: string): string;
  geminiSafety(): readonly Readonly<{ category: string; threshold: string }>[];
  /** Whether the model can respond with images. */
  drawsImages(model: string): boolean;
  /**
   * The share of the output limit that the `-thinking` suffix reserves for reasoning; null if the suffix is disabled.
   */
  claudeThinkingShare(): number | null;
  /**
   * The same for a Gemini model, if the requested name or the name without its suffix is in the list of such models.
   */
  geminiThinkingShare(requested: string, bare: string): number | null;
}>;

const CLAUDE_SUFFIX = /^(.*claude.*)-thinking$/;
const GEMINI_SUFFIX = /^(.*gemini.*?)-(thinking(?:-(\d+))?|nothinking)$/;
/** The lowest output limit with which Anthropic supports thinking: the limit must exceed the minimum budget. */
const MIN_CLAUDE_LIMIT = 1280;
const MIN_CLAUDE_BUDGET = 1024;
/** Larger budgets are ignored. */
const MAX_GEMINI_BUDGET = 24_576;

type Prepared = Readonly<{ model: string; conversation: Conversation }>;

/** Whether the model's name contains options to apply to the request. */
export const needsPreparation = (model: string, dialect: ChatDialect): boolean =>
  (dialect === "anthropic" && CLAUDE_SUFFIX.test(model)) || (dialect === "gemini" && GEMINI_SUFFIX.test(model));

/**
 * Applies the options in a model's name (`-thinking`, `-nothinking`, a budget) to the request; returns the name without
 * them.
 */
export function prepareConversation(
  conversation: Conversation,
  model: string,
  dialect: ChatDialect,
  settings: ConversationSettings,
): Prepared {
  if (dialect === "anthropic") return prepareClaude(conversation, model, settings);
  if (dialect === "gemini") return prepareGemini(conversation, model, settings);
  return { model, conversation };
}

function prepareClaude(conversation: Conversation, model: string, settings: ConversationSettings): Prepared {
  const name = CLAUDE_SUFFIX.exec(model)?.[1];
  const share = settings.claudeThinkingShare();
  if (name === undefined || share === null) return { model, conversation };
  const { sampling } = conversation;
  const maxOutputTokens = Math.max(sampling.maxOutputTokens ?? settings.defaultMaxTokens(name), MIN_CLAUDE_LIMIT);
  // A share of the model's own limit would cost far more than users of the suffix expect.
  const shared = Math.max(sampling.maxOutputTokens ?? settings.thinkingSuffixTokens(name), MIN_CLAUDE_LIMIT);
  const budgetTokens = Math.max(MIN_CLAUDE_BUDGET, Math.floor(Math.min(shared, maxOutputTokens) * share));
  return {
    model: name,
    conversation: {
      ...conversation,
      sampling: { ...sampling, maxOutputTokens, temperature: null, topP: null, topK: null },
      reasoning: thinking(conversation, budgetTokens),
    },
  };
}

function prepareGemini(conversation: Conversation, model: string, settings: ConversationSettings): Prepared {
  const [, name, suffix, budget] = GEMINI_SUFFIX.exec(model) ?? [];
  const share = name === undefined ? null : settings.geminiThinkingShare(model, name);
  if (name === undefined || share === null) return { model, conversation };
  if (suffix === "nothinking")
    return { model: name, conversation: { ...conversation, reasoning: thinking(conversation, 0) } };
  const limit = conversation.sampling.maxOutputTokens ?? 0;
  const shared = limit === 0 ? MAX_GEMINI_BUDGET : Math.min(Math.floor(limit * share), MAX_GEMINI_BUDGET);
  const requestedBudget = budget === undefined ? shared : Number(budget);
  const budgetTokens = requestedBudget > MAX_GEMINI_BUDGET ? null : requestedBudget;
  return { model: name, conversation: { ...conversation, reasoning: thinking(conversation, budgetTokens) } };
}

const thinking = ({ reasoning }: Conversation, budgetTokens: number | null): Reasoning => ({
  ...reasoning,
  effort: null,
  budgetTokens,
  enabled: budgetTokens !== 0,
  show: budgetTokens === 0 ? false : (reasoning.show ?? true),
});
