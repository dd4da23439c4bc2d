import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/upstream/upstream-model.ts";
import type { Limitation, Provider, Rejection } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import { type CallPrices, priceUnder } from "../billing/price.ts";
import type { Call } from "../call/call.ts";
import type { Choice } from "../routing/scheduler/choose.ts";
import { noResponse } from "./attempt-failure.ts";
import type { Outgoing } from "./upstream.ts";

/** A channel and key for a call, by which it is charged and logged. */
export type Route = Readonly<{
  channel: ChannelEntry;
  key: string;
  keyIndex: number;
  provider: Provider;
  /** The upstream model name. */
  upstreamModel: string;
  price: Price | null;
  /** Fields of the request that the upstream cannot express. */
  dropped: readonly string[];
  /** The body that it was sent, if contents are logged. */
  sent?: Outgoing["body"];
}>;

/** The provider of a channel if it can serve this kind of request; else null. */
export function providerFor({ endpoint }: Pick<Call, "endpoint">, { type }: ChannelEntry): Provider | null {
  const provider = providerOf(type);
  return provider?.capabilities.includes(endpoint.capability) ? provider : null;
}

/** Binds the call to a channel and key. Throws AttemptFailure if the channel cannot serve it. */
export function bindChannel(call: Call, prices: CallPrices | null, { channel, key }: Choice): Route {
  const provider = providerFor(call, channel);
  if (!provider) throw noResponse(channel, key, "unsupported");
  const upstreamModel = upstreamModelOf(channel, call.summary.model, call.candidates.model);
  return {
    channel,
    key,
    keyIndex: channel.keys.indexOf(key),
    provider,
    upstreamModel,
    price: prices && priceUnder(prices, channel, upstreamModel),
    dropped: NOTHING,
  };
}

const NOTHING: readonly string[] = [];
const MAX_DROPPED = 32;
const MAX_NAME_LENGTH = 64;

/** The names of dropped fields, bounded to fit a header and a log row, because clients may make names up. */
export const boundedNames = (names: readonly string[]): readonly string[] =>
  names.slice(0, MAX_DROPPED).map((name) => name.slice(0, MAX_NAME_LENGTH));

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
