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
 * Throws or rejects GatewayError.
 */
export function rateLimit(
  context: GatewayContext,
  { request, endpoint }: Pick<Arrival, "request" | "endpoint">,
  caller: Caller,
): undefined | Promise<void> {
  const { services, requestLimit } = context;
  refuseDisabled(services.settings, endpoint);
  refuseBrowserExtension(services.settings, request);
  const admission = requestLimit.isOn ? requestLimit.admit(caller.user.id) : undefined;
  return admission || hasOwnLimits(caller) ? admitByOwnLimits(context, caller, admission) : undefined;
}

const hasOwnLimits = ({ user, token }: Caller): boolean =>
  user.requestsPerMinute > 0 || (token !== null && hasLimits(token));

/** Counts toward the limits of the user and the key once the site's has admitted the request. */
async function admitByOwnLimits(
  { userLimits, tokenLimits }: GatewayContext,
  { user, token }: Caller,
  admission: undefined | Promise<void>,
): Promise<void> {
  await admission;
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
