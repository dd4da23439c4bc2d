import type { ChannelEntry } from "../../domain/channels/entry.ts";

const DEFAULT_DRAIN_CAP_MS = 60_000;
const MAX_DRAIN_CAP_MS = 600_000;

/**
 * What happens if a client disconnects before its response is complete (channel setting `broken_stream`): *cancel*, the
 * default, stops the upstream and bills what has arrived, counted locally; *drain* lets the upstream finish within
 * `drain_cap_seconds` (60) and bills what it reports.
 */
export const drainsOnDisconnect = (channel: ChannelEntry): boolean => channel.setting.broken_stream === "drain";

export function drainCapMs({ setting }: ChannelEntry): number {
  const seconds = Number(setting.drain_cap_seconds ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, MAX_DRAIN_CAP_MS) : DEFAULT_DRAIN_CAP_MS;
}
