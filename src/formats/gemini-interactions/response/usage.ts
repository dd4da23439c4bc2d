import type { ToolCalls, Usage } from "../../conversation/reply.ts";
import { countOf, type JsonObject, recordOf, recordsOf } from "../../json.ts";

/**
 * Reads usage; null if there is none. Reasoning is counted in addition to the output, and prompts of tools in addition to the
 * input: https://ai.google.dev/gemini-api/docs/interactions
 */
export function readUsage(value: unknown): Usage | null {
  const usage = recordOf(value);
  if (!usage) return null;
  const input = countOf(usage.total_input_tokens) ?? 0;
  const tools = countOf(usage.total_tool_use_tokens) ?? 0;
  const reasoning = countOf(usage.total_thought_tokens) ?? 0;
  const total = countOf(usage.total_tokens);
  const output =
    countOf(usage.total_output_tokens) ?? (total === null ? 0 : Math.max(0, total - input - tools - reasoning));
  const toolCalls = toolCallsOf(usage);
  const images = tokensOf(usage.input_tokens_by_modality, "image");
  const drawn = tokensOf(usage.output_tokens_by_modality, "image");
  return {
    promptTokens: input + tools,
    completionTokens: output + reasoning,
    cachedTokens: countOf(usage.total_cached_tokens) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: reasoning,
    audioInputTokens: tokensOf(usage.input_tokens_by_modality, "audio"),
    audioOutputTokens: tokensOf(usage.output_tokens_by_modality, "audio"),
    ...(images > 0 && { imageInputTokens: images }),
    ...(drawn > 0 && { imageOutputTokens: drawn }),
    ...(toolCalls && { toolCalls }),
  };
}

const tokensOf = (list: unknown, modality: string): number =>
  recordsOf(list)
    .filter((entry) => entry.modality === modality)
    .reduce((sum, { tokens }) => sum + (countOf(tokens) ?? 0), 0);

/** Tools that Google charges by their use. */
const CHARGED_TOOLS: ReadonlySet<unknown> = new Set(["google_search", "google_maps"]);

function toolCallsOf(usage: JsonObject): ToolCalls | null {
  const counts = recordsOf(usage.grounding_tool_count).flatMap(({ type, count }) =>
    CHARGED_TOOLS.has(type) && countOf(count) ? [[String(type), countOf(count) ?? 0] as const] : [],
  );
  return counts.length > 0 ? Object.fromEntries(counts) : null;
}

/** Usage as an interaction has it. */
export function usageObject(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, audioInputTokens, audioOutputTokens } = usage;
  return {
    total_input_tokens: promptTokens,
    ...byModality("input_tokens_by_modality", promptTokens, audioInputTokens, usage.imageInputTokens ?? 0),
    total_cached_tokens: cachedTokens,
    total_output_tokens: Math.max(0, completionTokens - reasoningTokens),
    ...byModality(
      "output_tokens_by_modality",
      completionTokens - reasoningTokens,
      audioOutputTokens,
      usage.imageOutputTokens ?? 0,
    ),
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoningTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function byModality(name: string, tokens: number, audio: number, image: number): JsonObject {
  const counts = { text: Math.max(0, tokens - audio - image), audio, image };
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return { [name]: entries.map(([modality, count]) => ({ modality, tokens: count })) };
}
