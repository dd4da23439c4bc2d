import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ChatDialect, Conversation, Reasoning } from "../../../formats/conversation/conversation.ts";

/** Options that shape requests. */
export type ConversationSettings = Readonly<{
  /** What is known about a model by its name at the upstream. */
  modelInfo(model: string): ModelInfo;
  /** Tokens, where a format demands a limit and the client gave none: the model's own limit where that is known. */
  defaultMaxTokens(model: string): number;
  /** Tokens of which `-thinking` behind a model's name spends its share where the client set no limit. */
  thinkingSuffixTokens(model: string): number;
  /** Headers that the settings add to calls of a model. */
  headersOf(model: string): Readonly<Record<string, string>> | null;
  /** Of Google's API. `ofChannel`: what the channel says; empty: nothing. */
  geminiVersion(model: string, ofChannel: string): string;
  geminiSafety(): readonly Readonly<{ category: string; threshold: string }>[];
  /** The model answers with images too. */
  drawsImages(model: string): boolean;
  /** The share of the output limit that `-thinking` behind a model's name spends on thought; null: the suffix means nothing. */
  claudeThinkingShare(): number | null;
  /** The same for a Gemini model by the name asked for or without its suffix: only names in the list of those with a budget. */
  geminiThinkingShare(requested: string, bare: string): number | null;
}>;

const CLAUDE_SUFFIX = /^(.*claude.*)-thinking$/;
const GEMINI_SUFFIX = /^(.*gemini.*?)-(thinking(?:-(\d+))?|nothinking)$/;
/** Below this Anthropic refuses to think; the limit must exceed the budget. */
const LEAST_CLAUDE_LIMIT = 1280;
const LEAST_CLAUDE_BUDGET = 1024;
/** Budgets above are ignored. */
const MOST_GEMINI_BUDGET = 24_576;

type Prepared = Readonly<{ model: string; conversation: Conversation }>;

/** The model's name says something that must be written into the request. */
export const needsPreparation = (model: string, dialect: ChatDialect): boolean =>
  (dialect === "anthropic" && CLAUDE_SUFFIX.test(model)) || (dialect === "gemini" && GEMINI_SUFFIX.test(model));

/** Reads the conveniences in a model's name (`-thinking`, `-nothinking`, a budget) into the request; gives the bare name. */
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
  const maxOutputTokens = Math.max(sampling.maxOutputTokens ?? settings.defaultMaxTokens(name), LEAST_CLAUDE_LIMIT);
  // A share of a model's own limit would be far more than who writes the suffix expects to pay for.
  const shared = Math.max(sampling.maxOutputTokens ?? settings.thinkingSuffixTokens(name), LEAST_CLAUDE_LIMIT);
  const budgetTokens = Math.max(LEAST_CLAUDE_BUDGET, Math.floor(Math.min(shared, maxOutputTokens) * share));
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
  const shared = limit === 0 ? MOST_GEMINI_BUDGET : Math.min(Math.floor(limit * share), MOST_GEMINI_BUDGET);
  const requestedBudget = budget === undefined ? shared : Number(budget);
  const budgetTokens = requestedBudget > MOST_GEMINI_BUDGET ? null : requestedBudget;
  return { model: name, conversation: { ...conversation, reasoning: thinking(conversation, budgetTokens) } };
}

const thinking = ({ reasoning }: Conversation, budgetTokens: number | null): Reasoning => ({
  ...reasoning,
  effort: null,
  budgetTokens,
  enabled: budgetTokens !== 0,
  show: budgetTokens === 0 ? false : (reasoning.show ?? true),
});
