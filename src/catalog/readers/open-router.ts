import { type CatalogDocument, type CatalogEntry, isDay, isPrice } from "../entry.ts";
import {
  documentOf,
  type Json,
  modalitiesAt,
  money,
  recordAt,
  recordsAt,
  textAt,
  tokenPrice,
  tokensAt,
} from "./source-entry.ts";

const PAGE = "https://openrouter.ai/models";
/** OpenRouter's own channel type: its days of retirement and its prices are of its service. */
const CHANNEL_TYPE = 20;
const TOKENS = 1_000_000;

/**
 * Reads what https://openrouter.ai/api/v1/models answers (https://openrouter.ai/docs/models): models under `data`, named as
 * OpenRouter names them; prices in dollars for one token, as text. Models whose price varies have `-1` and get none. Throws
 * FieldError.
 */
export function readOpenRouter(value: unknown): CatalogDocument {
  const { data } = recordAt(value) ?? {};
  const found = recordsAt(data).flatMap((model) => {
    const id = textAt(model.id);
    // Names that begin with a tilde are aliases of OpenRouter's that change their model.
    return id && !id.startsWith("~") && recordAt(model.architecture) ? [[id, entryOf(model)] as const] : [];
  });
  return documentOf("OpenRouter", PAGE, found);
}

function entryOf(model: Json): CatalogEntry {
  const { input_modalities: inputs, output_modalities: outputs } = recordAt(model.architecture) ?? {};
  const parameters: unknown[] = Array.isArray(model.supported_parameters) ? model.supported_parameters : [];
  const has = (parameter: string) => (parameters.length > 0 ? parameters.includes(parameter) : undefined);
  return {
    name: textAt(model.name),
    context_window: tokensAt(model.context_length),
    output_limit: tokensAt(recordAt(model.top_provider)?.max_completion_tokens),
    input_modalities: modalitiesAt(inputs),
    output_modalities: modalitiesAt(outputs),
    tools: has("tools"),
    structured_output: has("structured_outputs"),
    reasoning: has("reasoning") === false ? { style: "none" } : undefined,
    ...(isDay(model.expiration_date) && {
      deprecation_date: model.expiration_date,
      deprecation_source: "OpenRouter",
      deprecation_channel_types: [CHANNEL_TYPE],
    }),
    price: priceOf(recordAt(model.pricing) ?? {}),
    source: "OpenRouter",
  };
}

function priceOf(pricing: Json): CatalogEntry["price"] {
  const amount = (name: string): number | undefined => {
    const text = textAt(pricing[name]);
    const usd = text === undefined ? Number.NaN : money(Number(text) * TOKENS);
    return isPrice(usd) ? usd : undefined;
  };
  // A model that also costs by the request has no price of tokens that would be right.
  if ((amount("request") ?? 0) > 0) return undefined;
  return tokenPrice({
    input: amount("prompt"),
    output: amount("completion"),
    cache_read: amount("input_cache_read"),
    cache_write: amount("input_cache_write"),
    audio_input: amount("audio"),
    source: "OpenRouter",
  });
}
