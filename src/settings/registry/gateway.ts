import { cacheRules } from "../option/cache-rules.ts";
import { catalogEntries, catalogUpdate } from "../option/catalog-option.ts";
import { guardrailKeys, guardrails } from "../option/guardrails.ts";
import {
  headersShape,
  json,
  jsonMap,
  modelNamesShape,
  positiveIntegerShape,
  textShape,
  textsShape,
} from "../option/json-option.ts";
import { limitRules } from "../option/limit-rules.ts";
import { modelRoutes } from "../option/model-routes.ts";
import { bool, endpoint, exact, integer, number, oneOf } from "../option/option.ts";
import { sensitiveWords } from "../sensitive-words.ts";

/** How calls are let in, retried, limited and kept alive. */
export const gatewayOptions = {
  OpenAIEndpointEnabled: bool(true),
  ClaudeEndpointEnabled: bool(true),
  /** Extra attempts on other channels. */
  RetryTimes: integer(0, { max: 100 }),
  /** Model → models that take over, in order, where none of its channels responds. A name without channels is a route. */
  ModelFallbacks: jsonMap({}, modelNamesShape),
  /** Route name → its candidates and strategy. */
  ModelRoutes: modelRoutes({ ownPage: true }),
  /** Limits by model, group, user, key, end user, channel and key of a channel. */
  LimitRules: limitRules(),
  ModelRequestRateLimitEnabled: bool(false),
  /** Requests per user and period, failed ones included; 0 or -1: no limit. */
  ModelRequestRateLimitCount: integer(0, { min: -1 }),
  ModelRequestRateLimitSuccessCount: integer(1000, { min: 1 }),
  ModelRequestRateLimitDurationMinutes: integer(1, { max: 525_600 }),
  "global.pass_through_request_enabled": bool(false),
  "global.hide_upstream_error_enabled": bool(false),
  /** Refuses chat calls whose Origin is a browser extension. */
  "global.block_browser_extension_enabled": bool(false),
  "general_setting.ping_interval_enabled": bool(false),
  "general_setting.ping_interval_seconds": integer(60, { min: 1, max: 86_400 }),
  /** Hours for which answers of the Responses API can be referred to; 0: not at all. */
  "responses.keep_hours": integer(24, { max: 8760 }),
  /** The gateway connects to the MCP servers of requests where a model's provider connects to none. */
  "mcp.execution_enabled": bool(true),
  /** Callers with more tools at the MCP endpoint get a search over them instead of a list; 0: never. */
  "mcp.tool_search_threshold": integer(100, { max: 100_000 }),
  /** MCP clients sign people in by OAuth at `/mcp`, besides API keys. */
  "mcp.oauth_enabled": bool(true),
  /** Equal requests get the answer of an earlier one. */
  ResponseCacheEnabled: bool(false),
  /** Where answers are: in the memory of each process, or encrypted in Redis for all replicas. */
  ResponseCacheStore: oneOf(["memory", "redis"], "memory"),
  /** Memory for answers in each process. */
  ResponseCacheMegabytes: integer(64, { min: 1, max: 16_384 }),
  ResponseCacheTtlSeconds: integer(3600, { min: 1, max: 2_592_000 }),
  /** What an answer from the cache costs, in percent of the model's price. */
  ResponseCacheHitPercent: integer(10, { max: 100 }),
  /** Model, route or pattern → how its answers are kept. */
  ResponseCacheRules: cacheRules({ "*": {} }),
  /** Part of every entry's key: another one leaves all entries behind. */
  ResponseCacheGeneration: integer(0, {}, { ownPage: true }),
  /** Which keys of their own callers may use: none, those that they store, those that they send with calls, or both. */
  ProviderKeys: oneOf(["off", "stored", "call", "both"], "off"),
  /** Names of the providers, such as `openai`; empty: all that can be. */
  ProviderKeyProviders: json([], textsShape),
  /** Groups whose callers may; empty: all. */
  ProviderKeyGroups: json([], textsShape),
  /** What a call by the caller's own key costs, in percent of the model's price. */
  ProviderKeyFeePercent: exact(0, { max: 1000, decimals: 4 }),
  /** And per call, in dollars. */
  ProviderKeyFeePerCall: exact(0, { max: 1000, decimals: 10 }),
  /** Name → what may go to models and come from them. */
  Guardrails: guardrails({ ownPage: true }),
  /** Name of a guardrail → the key of its service. */
  GuardrailKeys: guardrailKeys({ secret: true, ownPage: true }),
  CheckSensitiveEnabled: bool(true),
  CheckSensitiveOnPromptEnabled: bool(true),
  CheckSensitiveOnCompletionEnabled: bool(false),
  StopOnSensitiveEnabled: bool(true),
  SensitiveWords: sensitiveWords(["test_sensitive"]),
  /** Kept for consoles of the family that save it; streams have no queue here. */
  StreamCacheQueueLength: integer(0),
};

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
      "gemini-3.8-flash",
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
  /** Whether requests to Claude without cache marks get one: where it will pay, always, never. */
  "claude.automatic_cache_marks": oneOf(["auto", "always", "never"], "auto"),
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

/** The drawing and task protocols. */
export const drawingOptions = {
  DrawingEnabled: bool(true),
  TaskEnabled: bool(true),
  /** Keeps the client's notifyHook in forwarded bodies. */
  MjNotifyEnabled: bool(false),
  /** Keeps the client's accountFilter. */
  MjAccountFilterEnabled: bool(false),
  /** Image addresses lead through the gateway. */
  MjForwardUrlEnabled: bool(true),
  /** Takes --fast, --relax and --turbo out of prompts. */
  MjModeClearEnabled: bool(false),
  /** Follow-up actions need a parent that succeeded. */
  MjActionCheckSuccessEnabled: bool(true),
};
