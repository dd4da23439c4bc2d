import type { Catalog, ModelInfo } from "../../../catalog/catalog.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { ChatDialect, Conversation, Reasoning } from "../../../formats/conversation/conversation.ts";
import { settingOfBudget } from "../../../formats/helpers/reasoning-setting.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { CLAUDE_SUFFIX, GEMINI_SUFFIX } from "../../request/model-suffix.ts";
import type { MarkMode } from "./automatic-marks.ts";

/** Settings that affect chat requests. */
export type ConversationSettings = Readonly<{
  /** Catalog information about an upstream model. */
  modelInfo(model: string): ModelInfo;
  /** The output limit in tokens where a format requires one and the client set none: the model's own limit if known. */
  /** `isReserved`: the service counts it against the quota. */
  defaultMaxTokens(model: string, isReserved?: boolean): number;
  /** The output limit, in tokens, from which the `-thinking` suffix derives its budget if the client set none. */
  thinkingSuffixTokens(model: string): number;
  /** Headers that the settings add to calls of a model. */
  headersOf(model: string): Readonly<Record<string, string>> | null;
  /** The version of Google's API. `ofChannel`: the channel's setting; empty if none. */
  geminiVersion(model: string, ofChannel: string): string;
  geminiSafety(): readonly Readonly<{ category: string; threshold: string }>[];
  /** When requests to Claude without cache marks get one. */
  automaticCacheMarks(): MarkMode;
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

const LAST_RESORT_MAX_TOKENS = 8192;
/** Reserved for an answer without a limit: long ones fit, and the quota serves several. */
const RESERVED_TOKENS = 16_384;
const SAFETY_CATEGORIES = [
  "HARASSMENT",
  "HATE_SPEECH",
  "SEXUALLY_EXPLICIT",
  "DANGEROUS_CONTENT",
  "CIVIC_INTEGRITY",
].map((kind) => `HARM_CATEGORY_${kind}`);

/** The Claude and Gemini settings, read when a call needs them. */
export const createConversationSettings = (settings: SettingsReader, catalog: () => Catalog): ConversationSettings => ({
  modelInfo: (model) => catalog().find(model),
  defaultMaxTokens(model, isReserved = false) {
    const limits = settings.values["claude.default_max_tokens"];
    const longest = catalog().find(model).output_limit ?? LAST_RESORT_MAX_TOKENS;
    return limits.get(model) ?? limits.get("default") ?? (isReserved ? Math.min(longest, RESERVED_TOKENS) : longest);
  },
  thinkingSuffixTokens(model) {
    const limits = settings.values["claude.default_max_tokens"];
    return limits.get(model) ?? limits.get("default") ?? LAST_RESORT_MAX_TOKENS;
  },
  headersOf: (model) => settings.values["claude.model_headers_settings"].get(model) ?? null,
  geminiVersion(model, ofChannel) {
    const versions = settings.values["gemini.version_settings"];
    return versions.get(model) ?? (ofChannel || (versions.get("default") ?? "v1beta"));
  },
  geminiSafety() {
    const thresholds = settings.values["gemini.safety_settings"];
    const otherwise = thresholds.get("default") ?? "OFF";
    return SAFETY_CATEGORIES.map((category) => ({ category, threshold: thresholds.get(category) ?? otherwise }));
  },
  automaticCacheMarks: () => settings.values["claude.automatic_cache_marks"],
  drawsImages: (model) => settings.values["gemini.supported_imagine_models"].includes(model),
  claudeThinkingShare: () =>
    settings.values["claude.thinking_adapter_enabled"]
      ? settings.values["claude.thinking_adapter_budget_tokens_percentage"]
      : null,
  geminiThinkingShare(requested, bare) {
    if (!settings.values["gemini.thinking_adapter_enabled"]) return null;
    const listed = settings.values["gemini.models_supported_thinking_budget"];
    if (!listed.includes(requested) && !listed.includes(bare)) return null;
    return settings.values["gemini.thinking_adapter_budget_tokens_percentage"];
  },
});
/** The lowest output limit with which Anthropic supports thinking: the limit must exceed the minimum budget. */
const MIN_CLAUDE_LIMIT = 1280;
const MIN_CLAUDE_BUDGET = 1024;
/** Larger budgets are ignored. */
const MAX_GEMINI_BUDGET = 24_576;

type Prepared = Readonly<{ model: string; conversation: Conversation }>;

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
  // A client's own limit stays: below the lowest, the model answers without thinking, which is named.
  const limitOr = (tokens: number) => sampling.maxOutputTokens ?? Math.max(tokens, MIN_CLAUDE_LIMIT);
  const maxOutputTokens = limitOr(settings.defaultMaxTokens(name));
  // A share of the model's own limit would cost far more than users of the suffix expect.
  const shared = limitOr(settings.thinkingSuffixTokens(name));
  const budgetTokens = Math.max(MIN_CLAUDE_BUDGET, Math.floor(Math.min(shared, maxOutputTokens) * share));
  return {
    model: name,
    conversation: {
      ...conversation,
      sampling: { ...sampling, maxOutputTokens },
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
  setting: settingOfBudget(budgetTokens ?? -1),
  show: budgetTokens === 0 ? false : (reasoning.show ?? true),
});

/**
 * A channel's instructions (setting `system_prompt`); `always`: even if the client sends its own, which then follow.
 */
export type ChannelPrompt = Readonly<{ text: string; always: boolean }>;

/** Reads a channel's instructions; null if it has none. */
export function channelPromptOf({ setting }: Pick<ChannelEntry, "setting">): ChannelPrompt | null {
  const text = setting.system_prompt;
  return typeof text !== "string" || text === "" ? null : { text, always: setting.system_prompt_override === true };
}

/** The conversation with the channel's instructions first, if it has none or they always apply. */
export function withChannelPrompt(conversation: Conversation, prompt: ChannelPrompt | null): Conversation {
  if (!prompt || (conversation.system.length > 0 && !prompt.always)) return conversation;
  return { ...conversation, system: [{ type: "text", text: prompt.text }, ...conversation.system] };
}
