import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf } from "../../domain/channels/upstream/upstream-model.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import { type CallPrices, priceUnder } from "../billing/price-call.ts";
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
  names.length === 0 ? NOTHING : names.slice(0, MAX_DROPPED).map((name) => name.slice(0, MAX_NAME_LENGTH));
