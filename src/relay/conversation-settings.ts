import type { SettingsReader } from "../settings/settings.ts";
import type { ConversationSettings } from "./passages/prepare-conversation.ts";

const LAST_RESORT_MAX_TOKENS = 8192;

/** The Claude and Gemini options (specification 2, section 3), read when a call needs them. */
export const createConversationSettings = (settings: SettingsReader): ConversationSettings => ({
  defaultMaxTokens(model) {
    const limits = settings.get("claude.default_max_tokens");
    return limits.get(model) ?? limits.get("default") ?? LAST_RESORT_MAX_TOKENS;
  },
  claudeThinkingShare: () =>
    settings.get("claude.thinking_adapter_enabled")
      ? settings.get("claude.thinking_adapter_budget_tokens_percentage")
      : null,
  geminiThinkingShare: () =>
    settings.get("gemini.thinking_adapter_enabled")
      ? settings.get("gemini.thinking_adapter_budget_tokens_percentage")
      : null,
});
