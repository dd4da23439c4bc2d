import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Limitation, Rejection } from "../../providers/contract/provider.ts";
import type { Route } from "./bind-channel.ts";

/** Features that channels do not support, remembered until they are edited or the process ends. */
export type ChannelLimitations = WeakMap<ChannelEntry, ReadonlySet<Limitation>>;

const NONE: ReadonlySet<Limitation> = new Set();

/** What a channel is known not to support. The set is immutable: a later limitation creates another one. */
export const limitationsOf = (limitations: ChannelLimitations, channel: ChannelEntry): ReadonlySet<Limitation> =>
  limitations.get(channel) ?? NONE;

/**
 * Returns true if the call is worth resending to the same upstream once: the rejection revealed a limitation that the
 * request did not respect, or the provider can authenticate again. Remembers the limitation for future calls.
 */
export function adaptAfterRejection(
  limitations: ChannelLimitations,
  { channel, provider }: Pick<Route, "channel" | "provider">,
  rejection: Rejection,
): boolean {
  const learned = provider.onRejected?.(rejection) ?? null;
  if (learned === null || learned === "retry") return learned === "retry";
  if (rejection.params.limitations?.has(learned)) return false;
  const known = limitationsOf(limitations, channel);
  if (!known.has(learned)) limitations.set(channel, new Set([...known, learned]));
  return true;
}
