import type { ChannelLive } from "../current-state.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";

/**
 * How a channel does: off; resting (a key of it is left alone for a while); failing (of five calls or more in the last hour a
 * fifth or more failed); or well.
 */
export const CHANNEL_HEALTHS = ["healthy", "cooling", "failing", "disabled"] as const;
export type ChannelHealth = (typeof CHANNEL_HEALTHS)[number];

const FEWEST_CALLS = 5;
const BAD_SHARE = 0.2;

/** Judges a channel by its state and what is known of its last hour. */
export function healthOf(
  channel: Pick<ChannelEntry, "status" | "keys" | "disabledKeys">,
  live: ChannelLive,
): ChannelHealth {
  if (channel.status !== CHANNEL_STATUS.enabled) return "disabled";
  const isResting = (index: number) => live.keys[index]?.isCooling === true;
  if (channel.keys.some((key, index) => !channel.disabledKeys.has(key) && isResting(index))) return "cooling";
  return live.calls >= FEWEST_CALLS && live.failed >= live.calls * BAD_SHARE ? "failing" : "healthy";
}
