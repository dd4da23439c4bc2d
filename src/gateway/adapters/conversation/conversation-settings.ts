import type { Catalog } from "../../../catalog/catalog.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";

const LAST_RESORT_MAX_TOKENS = 8192;
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
  defaultMaxTokens(model) {
    const limits = settings.get("claude.default_max_tokens");
    return limits.get(model) ?? limits.get("default") ?? catalog().find(model).output_limit ?? LAST_RESORT_MAX_TOKENS;
  },
  thinkingSuffixTokens(model) {
    const limits = settings.get("claude.default_max_tokens");
    return limits.get(model) ?? limits.get("default") ?? LAST_RESORT_MAX_TOKENS;
  },
  headersOf(model) {
    const headers = settings.get("claude.model_headers_settings").get(model);
    return headers
      ? Object.fromEntries([...headers].map(([name, values]) => [name.toLowerCase(), values.join(", ")]))
      : null;
  },
  geminiVersion(model, ofChannel) {
    const versions = settings.get("gemini.version_settings");
    return versions.get(model) ?? (ofChannel || (versions.get("default") ?? "v1beta"));
  },
  geminiSafety() {
    const thresholds = settings.get("gemini.safety_settings");
    const otherwise = thresholds.get("default") ?? "OFF";
    return SAFETY_CATEGORIES.map((category) => ({ category, threshold: thresholds.get(category) ?? otherwise }));
  },
  drawsImages: (model) => settings.get("gemini.supported_imagine_models").includes(model),
  claudeThinkingShare: () =>
    settings.get("claude.thinking_adapter_enabled")
      ? settings.get("claude.thinking_adapter_budget_tokens_percentage")
      : null,
  geminiThinkingShare(requested, bare) {
    if (!settings.get("gemini.thinking_adapter_enabled")) return null;
    const listed = settings.get("gemini.models_supported_thinking_budget");
    if (!listed.includes(requested) && !listed.includes(bare)) return null;
    return settings.get("gemini.thinking_adapter_budget_tokens_percentage");
  },
});
