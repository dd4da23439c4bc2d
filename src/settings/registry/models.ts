import { catalogEntries, catalogUpdate } from "../option/catalog-option.ts";
import { headersShape, json, jsonMap, positiveIntegerShape, textShape, textsShape } from "../option/json-option.ts";
import { bool, endpoint, number } from "../option/option.ts";

/** Habits of single model families. */
export const modelOptions = {
  "gemini.safety_settings": jsonMap(
    {
      default: "OFF",
      HARM_CATEGORY_HARASSMENT: "BLOCK_NONE",
      HARM_CATEGORY_HATE_SPEECH: "BLOCK_NONE",
      HARM_CATEGORY_SEXUALLY_EXPLICIT: "BLOCK_NONE",
      HARM_CATEGORY_DANGEROUS_CONTENT: "BLOCK_NONE",
    },
    textShape,
  ),
  /** Model → API version. */
  "gemini.version_settings": jsonMap({ default: "v1beta", "gemini-1.0-pro": "v1beta" }, textShape),
  /** Models asked for text and images. */
  "gemini.supported_imagine_models": json(
    ["gemini-2.0-flash-exp-image-generation", "gemini-2.0-flash-exp"],
    textsShape,
  ),
  "gemini.thinking_adapter_enabled": bool(false),
  /** Share of the output limit that thinking may take. */
  "gemini.thinking_adapter_budget_tokens_percentage": number(0.6, { min: 0.1, max: 1 }),
  /** Models whose names take `-thinking` and `-nothinking`, with or without that suffix in the list. */
  "gemini.models_supported_thinking_budget": json(
    [
      "gemini-2.5-flash-preview-05-20",
      "gemini-2.5-flash-preview-04-17",
      "gemini-2.5-pro-preview-06-05",
      "gemini-2.5-pro",
      "gemini-2.5-flash",
      "gemini-2.5-flash-lite",
      "gemini-3-pro-preview",
      "gemini-3-flash-preview",
      "gemini-3.1-pro-preview",
      "gemini-3.5-flash",
      "gemini-3.5-flash-lite",
      "gemini-3.6-flash",
      "gemini-3.7-flash",
      "gemini-pro-latest",
      "gemini-flash-latest",
      "gemini-flash-lite-latest",
    ],
    textsShape,
  ),
  /** Model → headers that replace those of the upstream call. */
  "claude.model_headers_settings": jsonMap({}, headersShape),
  /** Model, or `default` → output limit where the call names none; without an entry it is the model's own. */
  "claude.default_max_tokens": jsonMap({}, positiveIntegerShape),
  "claude.thinking_adapter_enabled": bool(true),
  "claude.thinking_adapter_budget_tokens_percentage": number(0.8, { min: 0.1, max: 1 }),
};

/** What the gateway knows about models besides what comes with the release. */
export const catalogOptions = {
  /** The operator's own entries by model name or pattern; they win over all others. */
  ModelCatalog: catalogEntries({ ownPage: true }),
  /** The update in force, over what comes with the release. */
  ModelCatalogUpdate: catalogUpdate({ ownPage: true }),
  /** Where updates are fetched from. */
  ModelCatalogUrl: endpoint(),
  /** Updates are fetched and applied once a day. */
  ModelCatalogAutoUpdate: bool(false, { needs: ["ModelCatalogUrl"] }),
};
