import type { Catalog, ModelInfo } from "../../catalog/catalog.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { type Candidates, type Tier, upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import { type JsonObject, recordOf } from "../../formats/json.ts";

/** What a request needs that some models lack. `promptTokens` is an estimate. */
export type Needs = Readonly<{
  images: boolean;
  audio: boolean;
  files: boolean;
  tools: boolean;
  reasoning: boolean;
  promptTokens: number;
}>;

/** What a channel's model lacks for a request, according to the catalog. */
export type Shortcoming = "no_images" | "no_audio" | "no_tools" | "no_reasoning" | "context_too_small";

/** The first need that a model does not meet; null if it meets all, or if the catalog does not know it. */
export function shortcomingOf(model: ModelInfo, needs: Needs): Shortcoming | null {
  const { input_modalities: inputs, tools, reasoning, context_window: context } = model;
  if (needs.images && inputs?.includes("image") === false) return "no_images";
  if (needs.audio && inputs?.includes("audio") === false) return "no_audio";
  if (needs.tools && tools === false) return "no_tools";
  if (needs.reasoning && reasoning?.style === "none") return "no_reasoning";
  return context !== null && needs.promptTokens > context ? "context_too_small" : null;
}

/** What a request needs. `prompt` has the shape of an OpenAI request, `body` is the client's. */
export function needsOf(prompt: JsonObject, body: JsonObject, promptTokens: number): Needs {
  const types = new Set<unknown>();
  for (const message of Array.isArray(prompt.messages) ? prompt.messages : []) {
    const content = recordOf(message)?.content;
    if (Array.isArray(content)) for (const part of content) types.add(recordOf(part)?.type);
  }
  return {
    images: types.has("image_url"),
    audio: types.has("input_audio"),
    files: types.has("file"),
    tools: Array.isArray(prompt.tools) && prompt.tools.length > 0,
    reasoning: requestsReasoning(body),
    promptTokens,
  };
}

/** Whether the client requests reasoning, in any of the four formats; "auto" settings do not count. */
function requestsReasoning(body: JsonObject): boolean {
  const effort = body.reasoning_effort ?? recordOf(body.reasoning)?.effort;
  if (typeof effort === "string") return effort !== "none";
  const type = recordOf(body.thinking)?.type;
  if (typeof type === "string") return type !== "disabled";
  const config = recordOf(recordOf(body.generationConfig)?.thinkingConfig);
  return config !== null && (config.thinkingBudget !== 0 || typeof config.thinkingLevel === "string");
}

/** The models of a route's channels; null if they are alike, so that no request makes a difference. */
export type ModelsByChannel = ReadonlyMap<ChannelEntry, ModelInfo> | null;

/**
 * Returns a function that looks up the models of the candidates for a requested name. It looks them up again when the
 * channels or the catalog change, not for each call.
 */
export function createModelsOf(catalog: () => Catalog): (candidates: Candidates, requested: string) => ModelsByChannel {
  const known = new WeakMap<readonly Tier[], Readonly<{ catalog: Catalog; models: ModelsByChannel }>>();
  return ({ tiers, model }, requested) => {
    const isOnly = tiers.length < 2 && (tiers[0]?.channels.length ?? 0) < 2;
    if (isOnly) return null;
    const current = catalog();
    const found = known.get(tiers);
    if (found?.catalog === current) return found.models;
    const models = findModels(current, tiers, requested, model);
    known.set(tiers, { catalog: current, models });
    return models;
  };
}

function findModels(catalog: Catalog, tiers: readonly Tier[], requested: string, bare: string): ModelsByChannel {
  const models = new Map<ChannelEntry, ModelInfo>();
  const kinds = new Set<string>();
  for (const channel of tiers.flatMap(({ channels }) => channels)) {
    const info = catalog.find(upstreamModelOf(channel, requested, bare));
    models.set(channel, info);
    kinds.add(JSON.stringify([info.input_modalities, info.tools, info.reasoning?.style, info.context_window]));
  }
  return kinds.size > 1 ? models : null;
}
