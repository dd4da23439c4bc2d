import type { Catalog, ModelInfo } from "../../catalog/catalog.ts";
import type { ChatDialect } from "../../formats/conversation/conversation.ts";
import { formatFor } from "../../providers/contract/chat.ts";
import { chatServiceFor } from "../../providers/contract/facts.ts";
import { providerOf } from "../../providers/registry.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import type { ChannelEntry } from "../channels/entry.ts";
import { upstreamModelsOf } from "../channels/routing/routing-index.ts";

/** What the playground offers for a model; null: not known. */
export type PlaygroundModel = Readonly<{
  model: string;
  /** Fields of a chat request that the model refuses. */
  refuses: readonly string[];
  tools: boolean | null;
  structured_output: boolean | null;
  reasoning: boolean | null;
  /** Values of `reasoning_effort`. */
  efforts: readonly string[];
  /** The budget of reasoning that can be set, in tokens; null: none can. */
  thinking_budget: Readonly<{ min: number; max: number | null }> | null;
  top_k: boolean;
  verbosity: boolean;
  web_search: boolean;
  input_modalities: readonly string[] | null;
  output_modalities: readonly string[] | null;
  output_limit: number | null;
  context_window: number | null;
}>;

/** Formats whose services search the web for any model that runs tools. */
const SEARCHING: ReadonlySet<ChatDialect> = new Set(["anthropic", "gemini", "openai-responses"]);
/** Formats with a `top_k`. */
const WITH_TOP_K: ReadonlySet<ChatDialect> = new Set(["anthropic", "gemini"]);

/** What can be set for a model in this group, by the catalog and by the channels that serve it first. */
export function describeModel(
  { channels, catalog }: Readonly<{ channels: Pick<ChannelDirectory, "candidates">; catalog: Catalog }>,
  group: string,
  model: string,
): PlaygroundModel {
  const candidates = channels.candidates(group, model);
  const [first] = candidates?.tiers ?? [];
  const [upstream = model] = candidates ? upstreamModelsOf(candidates, model) : [];
  const info = catalogEntry(catalog, [model, upstream]);
  const services = (first?.channels ?? []).map((channel) => serviceOf(channel, model, upstream, catalog));
  const { reasoning } = info;
  const hasBudget = reasoning?.style === "budget" || reasoning?.style === "adaptive_or_budget";
  return {
    model,
    refuses: info.refuses ?? [],
    tools: info.tools,
    structured_output: info.structured_output,
    reasoning: reasoning && reasoning.style !== "none",
    efforts: reasoning?.efforts ?? [],
    thinking_budget: hasBudget ? { min: reasoning?.min_budget ?? 0, max: reasoning?.max_budget ?? null } : null,
    top_k: services.some(({ hasTopK }) => hasTopK),
    verbosity: /(^|\/)gpt-5/.test(upstream),
    web_search: info.built_in_search === true || services.some(({ searches }) => searches),
    input_modalities: info.input_modalities,
    output_modalities: info.output_modalities,
    output_limit: info.output_limit,
    context_window: info.context_window,
  };
}

/** The entry of the first name of which anything is known. */
const catalogEntry = (catalog: Catalog, names: readonly [string, string]): ModelInfo =>
  names.map((name) => catalog.find(name)).find(({ source }) => source !== null) ?? catalog.find(names[0]);

function serviceOf({ type, keys, baseUrl }: ChannelEntry, model: string, upstream: string, catalog: Catalog) {
  const provider = providerOf(type);
  if (!provider?.chat) return { searches: false, hasTopK: false };
  const format = formatFor(provider, upstream, keys[0] ?? "", model, catalog, baseUrl);
  const { webSearch } = chatServiceFor(provider, { model: upstream, requestedModel: model });
  return {
    searches: webSearch || SEARCHING.has(format) || provider.chat.searchesInResponses(upstream, catalog),
    hasTopK: WITH_TOP_K.has(format),
  };
}
