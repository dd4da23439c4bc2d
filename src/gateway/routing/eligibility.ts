import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";

/** What keeps a channel from a call, however its keys do. */
export type IneligibleReason = "unknown_type" | "no_price" | "prompt_too_long";

/** What a call asks of a channel. */
export type Requirements = Readonly<{
  isServedBy(provider: Provider): boolean;
  hasPrice(channel: ChannelEntry): boolean;
  /** `limit`: tokens. */
  isLongerThan(limit: number): boolean;
}>;

/** The first thing that keeps a channel from a call; null: nothing. Whoever chooses asks here, and who explains it too. */
export function ineligibleReason(channel: ChannelEntry, requirements: Requirements): IneligibleReason | null {
  const provider = providerOf(channel.type);
  if (!provider || !requirements.isServedBy(provider)) return "unknown_type";
  if (!requirements.hasPrice(channel)) return "no_price";
  const { maxInputTokens } = channel;
  return maxInputTokens > 0 && requirements.isLongerThan(maxInputTokens) ? "prompt_too_long" : null;
}
