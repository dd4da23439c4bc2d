import { type CatalogDocument, type CatalogEntry, type CatalogPrice, EFFORTS, isPrice } from "../entry.ts";
import {
  definedOf,
  documentOf,
  flagAt,
  type Json,
  modalitiesAt,
  recordAt,
  textAt,
  tokenPrice,
  tokensAt,
} from "./source-entry.ts";

const PAGE = "https://models.dev/";

/**
 * The providers of models.dev whose names of models are those of channels, and whose prices are list prices. Makers come first:
 * where hosts serve a model under the same name, the maker's facts count. Left out are resellers, and plans at a fixed price.
 */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  xai: "xAI",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  moonshotai: "Moonshot",
  alibaba: "Alibaba",
  zai: "Zhipu",
  minimax: "MiniMax",
  cohere: "Cohere",
  perplexity: "Perplexity",
  groq: "Groq",
  togetherai: "Together",
  "fireworks-ai": "Fireworks",
  siliconflow: "SiliconFlow",
  "amazon-bedrock": "AWS Bedrock",
};

/**
 * Reads what https://models.dev/api.json answers: providers by id, each with its models by name; prices in dollars for a
 * million tokens. The schema: https://github.com/anomalyco/models.dev/blob/dev/packages/core/src/schema.ts. Members that are
 * not of that schema are skipped. Throws FieldError.
 */
export function readModelsDev(value: unknown): CatalogDocument {
  const providers = recordAt(value) ?? {};
  const found = Object.keys(PROVIDERS).flatMap((id) =>
    Object.entries(recordAt(recordAt(providers[id])?.models) ?? {}).flatMap(([name, model]) => {
      const fields = recordAt(model);
      return fields ? [[name, entryOf(fields)] as const] : [];
    }),
  );
  return documentOf("models.dev", PAGE, found);
}

function entryOf(model: Json): CatalogEntry {
  const [limit, modalities] = [recordAt(model.limit), recordAt(model.modalities)];
  return {
    name: textAt(model.name),
    context_window: tokensAt(limit?.context),
    output_limit: tokensAt(limit?.output),
    input_modalities: modalitiesAt(modalities?.input),
    output_modalities: modalitiesAt(modalities?.output),
    tools: flagAt(model.tool_call),
    structured_output: flagAt(model.structured_output),
    reasoning: reasoningOf(model),
    price: priceOf(recordAt(model.cost)),
    source: "models.dev",
  };
}

function priceOf(cost: Json | null): CatalogPrice | undefined {
  if (!cost) return undefined;
  const amount = (name: string) => {
    const usd = cost[name];
    return isPrice(usd) ? usd : undefined;
  };
  return tokenPrice({
    input: amount("input"),
    output: amount("output"),
    cache_read: amount("cache_read"),
    cache_write: amount("cache_write"),
    audio_input: amount("input_audio"),
    audio_output: amount("output_audio"),
    tiers: tiersOf(cost),
    source: "models.dev",
  });
}

/** `tiers` name the exact length; `context_over_200k` is the older form, of one that is at least 200,000. */
function tiersOf(cost: Json): CatalogPrice["tiers"] {
  const older = recordAt(cost.context_over_200k);
  const listed = Array.isArray(cost.tiers) ? cost.tiers : older ? [{ ...older, tier: { size: 200_000 } }] : [];
  const tiers = listed.flatMap((each) => {
    const { input, output, tier } = recordAt(each) ?? {};
    const over = tokensAt(recordAt(tier)?.size);
    return over !== undefined && isPrice(input) && isPrice(output) ? [{ over, input, output }] : [];
  });
  const ascending = tiers.toSorted((a, b) => a.over - b.over);
  return ascending.length > 0 ? ascending.filter(({ over }, at) => over !== ascending[at - 1]?.over) : undefined;
}

function reasoningOf({ reasoning, reasoning_options: options }: Json): CatalogEntry["reasoning"] {
  if (reasoning === false) return { style: "none" };
  if (reasoning !== true || !Array.isArray(options)) return undefined;
  const ofType = (type: string) => options.map(recordAt).find((option) => option?.type === type);
  const [effort, budget] = [ofType("effort"), ofType("budget_tokens")];
  const canDisable = ofType("toggle") ? { can_disable: true } : {};
  const values: unknown[] = Array.isArray(effort?.values) ? effort.values : [];
  const efforts = EFFORTS.filter((name) => values.includes(name));
  if (efforts.length > 0) return { style: "effort", efforts, ...canDisable };
  if (budget) {
    const [least, most] = [tokensAt(budget.min), tokensAt(budget.max)];
    return definedOf({ style: "budget" as const, min_budget: least, max_budget: most, ...canDisable });
  }
  return ofType("toggle") ? { style: "switch" } : { style: "fixed" };
}
