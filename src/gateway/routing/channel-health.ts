import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { keyAlone, mayGoOff, switchesOff, type UpstreamRefusal } from "../../domain/channels/status/refusal.ts";
import type { GatewayServices } from "../call/services.ts";

/**
 * Switches off what an upstream will go on refusing: the failing key; the channel when that was its last. Only with
 * AutomaticDisableChannelEnabled and the channel's auto_ban.
 */
export function createHealth({ settings, disableChannel }: Pick<GatewayServices, "settings" | "disableChannel">) {
  return {
    report(channel: ChannelEntry, key: string, refusal: UpstreamRefusal): void {
      if (!switchesOff(channel, refusal, settings)) return;
      disableChannel(channel, keyAlone(channel, key), `${refusal.status}: ${withoutKey(refusal.error.message, key)}`);
    },

    /** A drawing service has no account left: nothing tries such channels, so only a person switches them on again. */
    noAccount(channel: ChannelEntry, message: string): void {
      if (!mayGoOff(channel, settings)) return;
      disableChannel(channel, null, message || { code: "why_no_account" }, CHANNEL_STATUS.disabled);
    },
  };
}

/** Upstreams like to repeat the key they refuse. */
export const withoutKey = (message: string, key: string): string => (key ? message.replaceAll(key, "***") : message);
