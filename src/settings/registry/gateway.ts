import { jsonMap, modelNamesShape } from "../option/json-option.ts";
import { modelRoutes } from "../option/model-routes.ts";
import { bool, integer } from "../option/option.ts";
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
  CheckSensitiveEnabled: bool(true),
  CheckSensitiveOnPromptEnabled: bool(true),
  CheckSensitiveOnCompletionEnabled: bool(false),
  StopOnSensitiveEnabled: bool(true),
  SensitiveWords: sensitiveWords(["test_sensitive"]),
  /** Kept for consoles of the family that save it; streams have no queue here. */
  StreamCacheQueueLength: integer(0),
};
