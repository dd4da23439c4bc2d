import { nowSeconds } from "../../lib/clock.ts";
import { isTask } from "../../providers/contract/provider.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import type { Arrival } from "../http/arrival.ts";
import type { Caller } from "./authenticate.ts";
import { hasLimits } from "./key-limits.ts";

/**
 * Checks that the site offers the endpoint, and counts the request toward the limits of the site, the user and the key.
 * Rejects GatewayError.
 */
export async function rateLimit(
  { services, requestLimit, userLimits, tokenLimits }: GatewayContext,
  { request, endpoint }: Pick<Arrival, "request" | "endpoint">,
  { user, token }: Caller,
): Promise<void> {
  refuseDisabled(services.settings, endpoint);
  refuseBrowserExtension(services.settings, request);
  if (requestLimit.isOn) await requestLimit.admit(user.id);
  if (user.requestsPerMinute > 0) await userLimits.admit(user);
  if (token && hasLimits(token)) await tokenLimits.admit(token, nowSeconds());
}

/** Sites can disable endpoints (OpenAIEndpointEnabled, ClaudeEndpointEnabled, DrawingEnabled, TaskEnabled). */
function refuseDisabled(settings: SettingsReader, { codec, capability }: Arrival["endpoint"]): void {
  if (isTask(capability)) {
    if (settings.get(capability === "drawing" ? "DrawingEnabled" : "TaskEnabled")) return;
    throw new GatewayError(403, "endpoint_disabled", { code: "gateway_tasks_off" });
  }
  const { dialect } = codec;
  if (dialect.startsWith("openai") && !settings.get("OpenAIEndpointEnabled")) {
    throw new GatewayError(403, "endpoint_disabled", { code: "gateway_openai_off" });
  }
  if (dialect === "anthropic" && !settings.get("ClaudeEndpointEnabled")) {
    throw new GatewayError(403, "endpoint_disabled", { code: "gateway_anthropic_off" });
  }
}

/** Browser extensions can read what a page contains; sites can block them (global.block_browser_extension_enabled). */
function refuseBrowserExtension(settings: SettingsReader, request: Request): void {
  if (!settings.get("global.block_browser_extension_enabled")) return;
  const origin = request.headers.get("origin") ?? "";
  if (origin.includes("extension") && origin.includes("://")) {
    throw new GatewayError(403, "browser_extension_blocked", { code: "gateway_no_extensions" });
  }
}
