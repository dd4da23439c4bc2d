import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { upstreamModelOf, upstreamModelsOf } from "../../domain/channels/upstream-model.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/errors.ts";
import type { Prices } from "./price.ts";

/**
 * Prices a call before its channel is known. Where the channels that may serve it know the model by different names, the
 * price under each of them is kept, and `takePrice` takes that of the channel that is tried; returns all of them, one at
 * least. Throws RelayError where none has a price that the caller accepts.
 */
export function priceCall(prices: Prices, call: Call): readonly Price[] {
  const [first = call.admitted.candidates.model, ...others] = upstreamNamesOf(call);
  if (others.length === 0) {
    call.price = priceUnder(prices, call, first);
    return [call.price];
  }
  const byName = new Map<string, Price>();
  let refusal: RelayError | null = null;
  for (const name of [first, ...others]) {
    try {
      byName.set(name, priceUnder(prices, call, name));
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refusal ??= error;
    }
  }
  const all = [...byName.values()];
  if (refusal && all.length === 0) throw refusal;
  call.price = all[0] ?? null;
  call.pricesByName = byName;
  return all;
}

/** The call is charged under the name that its channel's upstream knows the model by. */
export function takePrice(call: Call): void {
  call.price = call.pricesByName?.get(call.upstreamModel) ?? call.price;
}

/** Whether the call has a price with this channel: others may know the model by a name that has one. */
export function hasPrice({ pricesByName, admitted }: Call, channel: ChannelEntry): boolean {
  if (!pricesByName) return true;
  const { candidates, summary } = admitted;
  return pricesByName.has(upstreamModelOf(channel, summary.model, candidates.model));
}

function priceUnder(prices: Prices, { admitted }: Call, upstreamModel: string): Price {
  const { caller, summary, endpoint } = admitted;
  const { usdWithoutPrice } = endpoint;
  const price = usdWithoutPrice
    ? prices.ofTask(caller, summary.model, usdWithoutPrice)
    : prices.of(caller, summary.model, upstreamModel);
  return endpoint.priceOf?.(price, admitted, upstreamModel) ?? price;
}

/** A model may have a thousand channels: their names for it are kept as long as the routes are. */
const namesByCandidates = new WeakMap<object, Readonly<{ requested: string; names: readonly string[] }>>();

function upstreamNamesOf({ admitted }: Call): readonly string[] {
  const { candidates, summary } = admitted;
  const { model: requested } = summary;
  const known = namesByCandidates.get(candidates);
  if (known?.requested === requested) return known.names;
  const names = upstreamModelsOf(candidates, requested);
  namesByCandidates.set(candidates, { requested, names });
  return names;
}
