import type { Usage } from "../../conversation/reply.ts";
import { countOf, type JsonObject, recordsOf, textOf } from "../../json.ts";

/**
 * Reads usage. Gemini counts reasoning in addition to the candidates' tokens, and tool prompts in addition to the
 * prompt.
 */
export function readUsage(usage: JsonObject): Usage {
  const prompt = countOf(usage.promptTokenCount) ?? 0;
  const reasoning = countOf(usage.thoughtsTokenCount) ?? 0;
  const total = countOf(usage.totalTokenCount);
  const tools = countOf(usage.toolUsePromptTokenCount) ?? 0;
  const written =
    countOf(usage.candidatesTokenCount) ?? (total === null ? 0 : Math.max(0, total - prompt - tools - reasoning));
  const read: Usage = {
    promptTokens: prompt + tools,
    completionTokens: written + reasoning,
    cachedTokens: countOf(usage.cachedContentTokenCount) ?? 0,
    cacheCreationTokens: 0,
    reasoningTokens: reasoning,
    audioInputTokens: modality(usage.promptTokensDetails, "AUDIO"),
    audioOutputTokens: modality(usage.candidatesTokensDetails, "AUDIO"),
  };
  const imageInputTokens = modality(usage.promptTokensDetails, "IMAGE");
  const imageOutputTokens = modality(usage.candidatesTokensDetails, "IMAGE");
  if (imageInputTokens + imageOutputTokens === 0) return read;
  return { ...read, ...some("imageInputTokens", imageInputTokens), ...some("imageOutputTokens", imageOutputTokens) };
}

const some = (name: "imageInputTokens" | "imageOutputTokens", count: number) => (count > 0 ? { [name]: count } : {});

function modality(details: unknown, name: string): number {
  let sum = 0;
  if (!Array.isArray(details)) return sum;
  for (const entry of recordsOf(details)) if (entry.modality === name) sum += countOf(entry.tokenCount) ?? 0;
  return sum;
}

/** Service tiers of responses in Google's terms (including Vertex) and OpenAI's. */
const TIERS: readonly (readonly [own: string, neutral: string, vertex: string])[] = [
  ["standard", "default", "on_demand"],
  ["flex", "flex", "on_demand_flex"],
  ["priority", "priority", "on_demand_priority"],
  ["priority", "fast", "on_demand_priority"],
  ["provisioned", "provisioned", "provisioned_throughput"],
];

const UNSPECIFIED = /unspecified$/;

/** The service tier that the usage reports, in OpenAI's terms; null if none. */
export function readTier(usage: JsonObject | null): string | null {
  const tier = (textOf(usage?.serviceTier) ?? textOf(usage?.trafficType))?.toLowerCase();
  if (tier === undefined) return null;
  if (tier === "" || UNSPECIFIED.test(tier)) return null;
  const own = tier.replace(/^service_tier_/, "");
  // A tier that is not known here is priced by its own name.
  return TIERS.find(([name, , vertex]) => name === own || vertex === own)?.[1] ?? own;
}

/** Usage in Gemini's shape. `serviceTier` is in OpenAI's terms. */
export const usageObject = (usage: Usage, serviceTier: string | null = null): JsonObject => ({
  promptTokenCount: usage.promptTokens,
  candidatesTokenCount: Math.max(0, usage.completionTokens - usage.reasoningTokens),
  totalTokenCount: usage.promptTokens + usage.completionTokens,
  ...(usage.cachedTokens > 0 && { cachedContentTokenCount: usage.cachedTokens }),
  ...(usage.reasoningTokens > 0 && { thoughtsTokenCount: usage.reasoningTokens }),
  ...details("promptTokensDetails", usage.promptTokens, usage.audioInputTokens, usage.imageInputTokens),
  ...details(
    "candidatesTokensDetails",
    usage.completionTokens - usage.reasoningTokens,
    usage.audioOutputTokens,
    usage.imageOutputTokens,
  ),
  ...tierMember(TIERS.find(([own, neutral]) => neutral === serviceTier && own !== "provisioned")?.[0]),
});

/** Tokens by modality; empty where all are text. */
function details(name: string, tokens: number, audio: number, image = 0): JsonObject {
  if (audio + image <= 0) return {};
  const counts = { TEXT: Math.max(0, tokens - audio - image), AUDIO: audio, IMAGE: image };
  const counted = Object.entries(counts).filter(([, count]) => count > 0);
  return { [name]: counted.map(([modality, tokenCount]) => ({ modality, tokenCount })) };
}

const tierMember = (tier: string | undefined) => (tier === undefined ? {} : { serviceTier: tier });
