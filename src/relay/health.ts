import { CHANNEL_STATUS, type ChannelEntry } from "../channels/entry.ts";
import type { ReadError } from "../dialects/openai-chat/error.ts";
import type { SettingsReader } from "../settings/settings.ts";
import type { RelayServices } from "./services.ts";

const GEMINI = 24;
const FATAL_CODES: ReadonlySet<unknown> = new Set(["invalid_api_key", "account_deactivated", "billing_not_active"]);
const FATAL_TYPES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "authentication_error",
  "permission_error",
  "forbidden",
]);

/** An upstream's refusal: its own status (before any mapping) and what it said. */
export type UpstreamRefusal = Readonly<{ status: number; error: ReadError }>;

/**
 * Switches off what an upstream will go on refusing (reference behaviour 4.6): the failing key; the channel when that was
 * its last. Only with AutomaticDisableChannelEnabled and the channel's auto_ban.
 */
export function createHealth({ settings, disableChannel }: Pick<RelayServices, "settings" | "disableChannel">) {
  return {
    report(channel: ChannelEntry, key: string, refusal: UpstreamRefusal): void {
      if (!channel.autoBan || !settings.get("AutomaticDisableChannelEnabled")) return;
      if (!isFatal(channel, refusal, settings)) return;
      const others = channel.keys.some((other) => other !== key && !channel.disabledKeys.has(other));
      const reason = `${refusal.status}: ${withoutKey(refusal.error.message, key)}`;
      disableChannel(channel, others ? key : null, reason);
    },

    /** A drawing service has no account left: nothing tries such channels, so only a person switches them on again. */
    noAccount(channel: ChannelEntry, message: string): void {
      if (!channel.autoBan || !settings.get("AutomaticDisableChannelEnabled")) return;
      disableChannel(channel, null, message || "no available account", CHANNEL_STATUS.disabled);
    },
  };
}

function isFatal(channel: ChannelEntry, { status, error }: UpstreamRefusal, settings: SettingsReader): boolean {
  if (status === 401 || (status === 403 && channel.type === GEMINI)) return true;
  if (FATAL_CODES.has(error.code) || FATAL_TYPES.has(error.type)) return true;
  const message = error.message.toLowerCase();
  return settings.get("AutomaticDisableKeywords").some((keyword) => message.includes(keyword.toLowerCase()));
}

/** Upstreams like to repeat the key they refuse. */
export const withoutKey = (message: string, key: string): string => (key ? message.replaceAll(key, "***") : message);
