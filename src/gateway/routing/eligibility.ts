import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";

/** Why a channel cannot serve a call, whatever the state of its keys. */
export type IneligibleReason = "unknown_type" | "no_price" | "prompt_too_long";

/** What a call requires of a channel. */
export type Requirements = Readonly<{
  isServedBy(provider: Provider): boolean;
  hasPrice(channel: ChannelEntry): boolean;
  /** `limit`: tokens. */
  isLongerThan(limit: number): boolean;
}>;

/** The first reason why a channel cannot serve a call; null if it can. Routing and its explanation both use this. */
export function ineligibleReason(channel: ChannelEntry, requirements: Requirements): IneligibleReason | null {
  const provider = providerOf(channel.type);
  if (!provider || !requirements.isServedBy(provider)) return "unknown_type";
  if (!requirements.hasPrice(channel)) return "no_price";
  const { maxInputTokens } = channel;
  return maxInputTokens > 0 && requirements.isLongerThan(maxInputTokens) ? "prompt_too_long" : null;
}
