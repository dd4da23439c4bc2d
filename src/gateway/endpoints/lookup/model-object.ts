import { type ModelInfo, UNKNOWN_MODEL } from "../../../catalog/catalog.ts";
import { upstreamModelsOf } from "../../../domain/channels/routing/routing-index.ts";
import { providerOf } from "../../../providers/registry.ts";
import { inServingGroup } from "../../auth/authorize.ts";
import type { Caller } from "../../call/caller.ts";
import type { CallTools, Services, Uses } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import { servedModel } from "../../routing/model-fallbacks.ts";

/** What these functions work with. */
export type ModelObjectContext = Uses<"channels" | "settings"> & Pick<CallTools, "catalog"> & Pricing;

/** The creation time of models is unknown: the constant that other gateways use. */
const CREATED = 1_626_777_600;

/** Tokenizers, as OpenRouter's model list names them. */
const TOKENIZERS: Readonly<Record<string, string>> = {
  OpenAI: "GPT",
  Anthropic: "Claude",
  Google: "Gemini",
  Mistral: "Mistral",
  xAI: "Grok",
  Cohere: "Cohere",
  DeepSeek: "DeepSeek",
};

/** The channels of a model, or of the first model that a route stands for. */
const candidatesOf = (services: Pick<Services, "channels" | "settings">, group: string, model: string) =>
  services.channels.candidates(group, servedModel(services, { group }, model) ?? model);

/** Catalog information for a model, by the name that callers use, else by its upstream name. */
export function findModelInfo(
  { services, catalog }: Uses<"channels" | "settings"> & Pick<CallTools, "catalog">,
  { group }: Caller,
  model: string,
): ModelInfo {
  const known = catalog().find(model);
  if (known !== UNKNOWN_MODEL) return known;
  const candidates = candidatesOf(services, group, model);
  const names = candidates ? upstreamModelsOf(candidates, model) : [];
  return names.map((name) => catalog().find(name)).find((info) => info !== UNKNOWN_MODEL) ?? UNKNOWN_MODEL;
}

/**
 * A model as OpenAI's API lists it, with the members of OpenRouter's list (https://openrouter.ai/docs/models) and those
 * that Mistral's client requires (https://docs.mistral.ai/api, ModelCard). Unknown values are null. The context window has the
 * names of Groq (https://console.groq.com/docs/models) and vLLM, too.
 */
export function modelObject(context: ModelObjectContext, asking: Caller, model: string) {
  const { services, prices } = context;
  const caller = inServingGroup(services, asking, model);
  const candidates = candidatesOf(services, caller.group, model);
  const channel = candidates?.tiers[0]?.channels[0];
  const owner = channel && providerOf(channel.type)?.owner;
  const info = findModelInfo(context, caller, model);
  const { context_window, output_limit, deprecation_date } = info;
  return {
    id: model,
    object: "model" as const,
    created: CREATED,
    owned_by: owner ?? "custom",
    root: model,
    parent: null,
    shutdown_date: deprecation_date,
    canonical_slug: model,
    name: info.name ?? model,
    context_length: context_window,
    architecture: architectureOf(info),
    pricing: prices.usd(caller, model, candidates ? upstreamModelsOf(candidates, model) : []),
    top_provider: { context_length: context_window, max_completion_tokens: output_limit, is_moderated: false },
    per_request_limits: null,
    supported_parameters: supportedParameters(info),
    expiration_date: deprecation_date,
    type: "base",
    capabilities: {
      completion_chat: info.output_modalities?.includes("text") ?? true,
      completion_fim: false,
      function_calling: info.tools ?? false,
      fine_tuning: false,
      vision: info.input_modalities?.includes("image") ?? false,
    },
    ...(context_window !== null && {
      max_context_length: context_window,
      context_window,
      max_model_len: context_window,
    }),
    ...(output_limit !== null && { max_output_tokens: output_limit }),
    aliases: info.aliases,
    deprecation: deprecation_date?.length === 10 ? `${deprecation_date}T00:00:00Z` : null,
  };
}

function architectureOf({ input_modalities, output_modalities, provider }: ModelInfo) {
  const [inputs, outputs] = [input_modalities ?? ["text"], output_modalities ?? ["text"]];
  return {
    modality: `${inputs.join("+")}->${outputs.join("+")}`,
    input_modalities: inputs,
    output_modalities: outputs,
    tokenizer: TOKENIZERS[provider ?? ""] ?? "Other",
    instruct_type: null,
  };
}

/** Chat parameters that are known to have an effect. */
function supportedParameters({ output_modalities, reasoning, tools, structured_output }: ModelInfo): string[] {
  if (output_modalities && !output_modalities.includes("text")) return [];
  const reasons = reasoning !== null && reasoning.style !== "none";
  const samples = !reasons || reasoning.style === "budget" || reasoning.style === "switch";
  return [
    "max_tokens",
    "stop",
    ...(samples ? ["temperature", "top_p"] : []),
    ...(tools ? ["tools", "tool_choice"] : []),
    ...(structured_output ? ["response_format", "structured_outputs"] : []),
    ...(reasons ? ["reasoning", "include_reasoning"] : []),
  ];
}

/** A model as Anthropic's API lists it. */
export function anthropicModel(
  context: Uses<"channels" | "settings"> & Pick<CallTools, "catalog">,
  caller: Caller,
  model: string,
) {
  const { name, context_window, output_limit, deprecation_date } = findModelInfo(context, caller, model);
  return {
    type: "model",
    id: model,
    display_name: name ?? model,
    created_at: new Date(CREATED * 1000).toISOString(),
    capabilities: null,
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    max_input_tokens: context_window,
    max_tokens: output_limit,
    retires_at: deprecation_date?.length === 10 ? `${deprecation_date}T00:00:00Z` : null,
  };
}

const GEMINI_METHODS = ["generateContent", "streamGenerateContent", "countTokens"];

/** A model as Google's API lists it (https://ai.google.dev/api/models). */
export function geminiModel(
  context: Uses<"channels" | "settings"> & Pick<CallTools, "catalog">,
  caller: Caller,
  model: string,
) {
  const { name, context_window, output_limit, reasoning } = findModelInfo(context, caller, model);
  return {
    name: `models/${model}`,
    version: "001",
    displayName: name ?? model,
    ...(context_window !== null && { inputTokenLimit: context_window }),
    ...(output_limit !== null && { outputTokenLimit: output_limit }),
    ...(reasoning !== null && { thinking: reasoning.style !== "none" }),
    supportedGenerationMethods: GEMINI_METHODS,
  };
}
