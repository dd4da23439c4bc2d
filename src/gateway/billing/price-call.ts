import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf, upstreamModelsOf } from "../../domain/channels/upstream/upstream-model.ts";
import type { Call } from "../call/call.ts";
import { GatewayError } from "../call/errors.ts";
import type { Prices } from "./price.ts";

/** What a call costs with each of the channels that may serve it. */
export type CallPrices = Readonly<{
  /** The price of every channel, or of those that have none of their own. */
  price: Price;
  /** Where channels know the model by different names: the price under each name that has one; null: they do not. */
  byName: ReadonlyMap<string, Price> | null;
}>;

/** Prices a call before its channel is known. Throws RelayError where no channel has a price that the caller accepts. */
export function priceCall(prices: Prices, call: Call): CallPrices {
  const [first = call.candidates.model, ...others] = upstreamNamesOf(call);
  if (others.length === 0) return { price: priceOf(prices, call, first), byName: null };
  const byName = new Map<string, Price>();
  let refusal: GatewayError | null = null;
  for (const name of [first, ...others]) {
    try {
      byName.set(name, priceOf(prices, call, name));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  const [price] = byName.values();
  if (!price) throw refusal;
  return { price, byName };
}

/** The price under the name that a channel's upstream knows the model by. */
export const priceUnder = ({ price, byName }: CallPrices, upstreamModel: string): Price =>
  byName?.get(upstreamModel) ?? price;

/** Every price that the call may be charged by; one at least. */
export const possiblePrices = ({ price, byName }: CallPrices): Iterable<Price> => byName?.values() ?? [price];

/** Whether the call has a price with this channel: others may know the model by a name that has one. */
export function hasPrice({ byName }: CallPrices, { candidates, summary }: Call, channel: ChannelEntry): boolean {
  return byName === null || byName.has(upstreamModelOf(channel, summary.model, candidates.model));
}

function priceOf(prices: Prices, call: Call, upstreamModel: string): Price {
  const { caller, summary, endpoint } = call;
  const { usdWithoutPrice } = endpoint;
  const price = usdWithoutPrice
    ? prices.ofTask(caller, summary.model, usdWithoutPrice)
    : prices.of(caller, summary.model, upstreamModel);
  return endpoint.priceOf?.(price, call, upstreamModel) ?? price;
}

/** A model may have a thousand channels: their names for it are kept as long as the routes are. */
const namesByCandidates = new WeakMap<object, Readonly<{ requested: string; names: readonly string[] }>>();

function upstreamNamesOf({ candidates, summary }: Call): readonly string[] {
  const { model: requested } = summary;
  const known = namesByCandidates.get(candidates);
  if (known?.requested === requested) return known.names;
  const names = upstreamModelsOf(candidates, requested);
  namesByCandidates.set(candidates, { requested, names });
  return names;
}
