import { CHANNEL_STATUS, type ChannelEntry } from "../../domain/channels/entry.ts";
import { keyAlone, mayGoOff, switchesOff, type UpstreamRefusal } from "../../domain/channels/status/refusal.ts";
import type { GatewayServices } from "../call/services.ts";

/**
 * Disables what an upstream will keep rejecting: the failing key, or the channel if that was its last one. Only with
 * AutomaticDisableChannelEnabled and the channel's auto_ban.
 */
export function createHealth({ settings, disableChannel }: Pick<GatewayServices, "settings" | "disableChannel">) {
  return {
    report(channel: ChannelEntry, key: string, refusal: UpstreamRefusal): void {
      if (!switchesOff(channel, refusal, settings)) return;
      disableChannel(channel, keyAlone(channel, key), `${refusal.status}: ${withoutKey(refusal.error.message, key)}`);
    },

    /**
     * Disables the channel of an image service without accounts. No test calls check such channels, so only an
     * administrator can enable them again.
     */
    noAccount(channel: ChannelEntry, message: string): void {
      if (!mayGoOff(channel, settings)) return;
      disableChannel(channel, null, message || { code: "why_no_account" }, CHANNEL_STATUS.disabled);
    },
  };
}

/** Removes the key from an error message: upstreams often repeat it. */
export const withoutKey = (message: string, key: string): string => (key ? message.replaceAll(key, "***") : message);
