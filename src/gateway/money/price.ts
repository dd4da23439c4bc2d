import { estimate } from "../../billing/pricing/charge.ts";
import { createPriceTable, type PriceTable } from "../../billing/pricing/price-table.ts";
import { groupPays } from "../../billing/pricing/ratios/group-ratios.ts";
import { ownRatios } from "../../billing/pricing/ratios/own-ratios.ts";
import { type UsdPrices, usdPrices } from "../../billing/pricing/ratios/usd-prices.ts";
import { findPrice, resolvePrice } from "../../billing/pricing/resolve-price.ts";
import { inTiers, isTierPriced, NO_TIERS, tierNames } from "../../billing/pricing/service-tiers.ts";
import type { Price, ServiceFee } from "../../billing/types.ts";
import { type Catalog, createModelCatalog } from "../../catalog/catalog.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { type Candidates, upstreamModelOf, upstreamModelsOf } from "../../domain/channels/routing/routing-index.ts";
import { type JsonObject, textOf } from "../../formats/json.ts";
import { type Decimal, decimal, integer, multiply, ONE } from "../../lib/values/decimal.ts";
import { isTask } from "../../providers/contract/provider.ts";
import { providerOf } from "../../providers/registry.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { GatewayError } from "../call/errors.ts";

/** What a price depends on besides the model. */
type PricePayer = Readonly<{
  group: string;
  user: Pick<Caller["user"], "acceptUnsetPrice"> & Readonly<{ group?: string }>;
}>;

export type Prices = {
  /** The price of a call. Throws GatewayError if the model has none and the caller does not accept that. */
  of(payer: PricePayer, requestedModel: string, upstreamModel: string): Price;
  /** The prices of a call that depend on nothing but these. Throws GatewayError as `of` does. */
  ofCandidates(payer: PricePayer, requestedModel: string, candidates: Candidates): CallPrices;
  /** The price of a task: a fixed price, else a ratio converted to one, else `usd`. The upstream's name counts by option only. */
  ofTask(caller: Caller, model: string, usd: Decimal, upstreamModel?: string): Price;
  /** A model's price per unit for a caller, in dollars; null if it has none. */
  usd(payer: PricePayer, requestedModel: string, upstreamModels: readonly string[]): UsdPrices | null;
  quotaPerUnit(): Decimal;
  /** What is known about models. */
  catalog(): Catalog;
};

/** What prices calls. */
export type Pricing = Readonly<{ prices: Prices }>;

/** Cached prices, before the cache starts again: the models, groups and mappings in use. */
const MAX_CACHED = 5_000;

/** Prices by candidates: a model's channels are the same object for each call of a group until one of them changes. */
type KnownPrices = Readonly<{
  table: PriceTable;
  group: string;
  /** The user's; undefined where no price depends on it. */
  userGroup: string | undefined;
  requestedModel: string;
  acceptUnset: boolean;
  prices: CallPrices;
}>;

/**
 * Resolves prices from the settings, each once until an option changes, or a discount begins or ends. `catalog`: what is known
 * about models.
 */
export function createPrices(settings: SettingsReader, catalog: () => Catalog = createModelCatalog(settings)): Prices {
  const table = createPriceTable(settings);
  const cached = new Map<string, Price>();
  const byCandidates = new WeakMap<Candidates, KnownPrices>();
  let cachedTable: PriceTable | null = null;
  let unit = { value: 1, decimal: ONE };

  const of: Prices["of"] = (payer, requestedModel, upstreamModel) => {
    const current = table();
    if (current !== cachedTable) cached.clear();
    cachedTable = current;
    const acceptUnset = payer.user.acceptUnsetPrice || settings.values.SelfUseModeEnabled;
    const userGroup = userGroupOf(current, payer);
    const name = `${payer.group}\n${userGroup ?? ""}\n${requestedModel}\n${upstreamModel}\n${acceptUnset}`;
    const known = cached.get(name);
    if (known) return known;
    const price = resolvePrice(current, {
      ...{ requestedModel, upstreamModel, group: payer.group, userGroup, acceptUnset },
    });
    if (!price) throw noPrice(requestedModel);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(name, price);
    return price;
  };
  return {
    of,
    ofCandidates(payer, requestedModel, candidates) {
      const current = table();
      const { group, user } = payer;
      // Most sites have no such ratios: then calls of all users share a price.
      const userGroup = userGroupOf(current, payer);
      const acceptUnset = user.acceptUnsetPrice || settings.values.SelfUseModeEnabled;
      const known = byCandidates.get(candidates);
      const isKnown =
        known?.table === current &&
        known.group === group &&
        known.userGroup === userGroup &&
        known.acceptUnset === acceptUnset;
      if (isKnown && known.requestedModel === requestedModel) return known.prices;
      const prices = pricesByName(candidates, requestedModel, (name) => of(payer, requestedModel, name));
      byCandidates.set(candidates, { table: current, group, userGroup, requestedModel, acceptUnset, prices });
      return prices;
    },
    ofTask({ group, user }, model, usd, upstream = model) {
      const upstreamModel = table().byUpstream ? upstream : model;
      const query = { requestedModel: model, upstreamModel, group, userGroup: user.group, acceptUnset: false };
      const price = resolvePrice(table(), query);
      if (price?.kind === "per_call") return price;
      const pays = groupPays(table(), { group, userGroup: user.group }, model);
      return { kind: "per_call", pricedAs: model, ...pays, usdPerCall: price?.modelRatio ?? usd };
    },
    usd({ group, user }, requestedModel, upstreamModels) {
      const price = findPrice(table(), { requestedModel, upstreamModels, group, userGroup: user.group });
      if (!price) return null;
      const own = price.kind === "per_token" ? ownRatios(table(), price) : {};
      const parts = { audio: own.audio !== undefined, cacheWrite: own.cacheCreation !== undefined };
      return usdPrices(price, parts, integer(settings.values.QuotaPerUnit));
    },
    quotaPerUnit() {
      const value = settings.values.QuotaPerUnit;
      if (value !== unit.value) unit = { value, decimal: integer(value) };
      return unit.decimal;
    },
    catalog,
  };
}

/** The user's group, where a price may depend on it. */
const userGroupOf = ({ groupGroupRatio }: PriceTable, { user }: PricePayer): string | undefined =>
  groupGroupRatio.size === 0 ? undefined : user.group;

/** The error of a model without a price. */
export const noPrice = (model: string): GatewayError =>
  new GatewayError(500, "model_price_error", { code: "gateway_no_price", params: { model } });

/** The price of a call for each channel that may serve it. */
export type CallPrices = Readonly<{
  /** The price for every channel, or for those without a price by name. */
  price: Price;
  /** Prices by upstream model name, if channels use different names for the model; else null. */
  byName: ReadonlyMap<string, Price> | null;
  /** Prices of channels whose overrides change what the price depends on; null if there are none. */
  byChannel: ReadonlyMap<ChannelEntry, Price> | null;
}>;

/** Prices a call before its channel is known. Throws GatewayError if no channel has a price that the caller accepts. */
export function priceCall(prices: Prices, call: Call): CallPrices {
  const { endpoint, caller, candidates, summary } = call;
  if (!endpoint.priceOf && !endpoint.usdWithoutPrice) {
    const priced = prices.ofCandidates(caller, summary.model, candidates);
    return caller.ownKeys ? withServiceFees(priced, candidates, summary.model) : priced;
  }
  const named = pricesByName(candidates, summary.model, (name) => priceOf(prices, call, name));
  const priced = { ...named, byChannel: priceOverrides(prices, call) };
  return caller.ownKeys ? withServiceFees(priced, candidates, summary.model) : priced;
}

/** The prices with those of keys of the caller's own. Where there are no others, nothing else can be charged. */
function withServiceFees(prices: CallPrices, candidates: Candidates, requested: string): CallPrices {
  const byChannel = new Map(prices.byChannel ?? []);
  let isSites = false;
  let lastFee: ServiceFee | null = null;
  for (const { channels } of candidates.tiers) {
    for (const channel of channels) {
      if (!channel.ownKey) isSites = true;
      else {
        lastFee = channel.ownKey.fee;
        byChannel.set(channel, priceUnder(prices, channel, upstreamModelOf(channel, requested, candidates.model)));
      }
    }
  }
  if (!lastFee) return prices;
  return isSites ? { ...prices, byChannel } : { price: feeFor(prices.price, lastFee), byName: null, byChannel };
}

/** Made once for each price and fee: what is computed from a price is remembered with it. */
const feePrices = new WeakMap<Price, WeakMap<ServiceFee, Price>>();

const sitePrices = new WeakMap<Price, Price>();

/** What a call would cost by a channel of the site instead of the caller's own key. */
export const sitePriceOf = (price: Price): Price => sitePrices.get(price) ?? price;

const PERCENT = decimal("0.01");

/** What a call by the caller's own key costs instead of this price. */
function feeFor(price: Price, fee: ServiceFee): Price {
  if (price.serviceFee) return price;
  const known = feePrices.get(price) ?? new WeakMap<ServiceFee, Price>();
  feePrices.set(price, known);
  let made = known.get(fee);
  if (!made) {
    made = {
      ...price,
      groupRatio: multiply(price.groupRatio, multiply(fee.percent, PERCENT)),
      serviceFee: fee,
    };
    known.set(fee, made);
    sitePrices.set(made, price);
  }
  return made;
}

/** The price of a model by each of its upstream names. Throws GatewayError, the first name's, if none has a price. */
function pricesByName(
  candidates: Candidates,
  requested: string,
  priceOf: (upstreamModel: string) => Price,
): CallPrices {
  const [first = candidates.model, ...others] = upstreamNames(candidates, requested);
  if (others.length === 0) return { price: priceOf(first), byName: null, byChannel: null };
  const byName = new Map<string, Price>();
  let refusal: GatewayError | null = null;
  for (const name of [first, ...others]) {
    try {
      byName.set(name, priceOf(name));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refusal ??= error;
    }
  }
  const [price] = byName.values();
  if (!price) throw refusal;
  return { price, byName, byChannel: null };
}

/** The price on a channel, which has this name for the model. */
export const priceUnder = (
  { price, byName, byChannel }: CallPrices,
  channel: ChannelEntry,
  upstreamModel: string,
): Price => {
  const found = byChannel?.get(channel) ?? byName?.get(upstreamModel) ?? price;
  return channel.ownKey ? feeFor(found, channel.ownKey.fee) : found;
};

/** Every price by which the call may be charged; at least one. */
export const possiblePrices = ({ price, byName, byChannel }: CallPrices): Iterable<Price> =>
  byChannel ? [...(byName?.values() ?? [price]), ...byChannel.values()] : (byName?.values() ?? [price]);

/**
 * The prices of channels that override parameters of calls in OpenAI's format: a number of images, a size. Overrides in a
 * provider's own format, and those of forms, are not read.
 */
function priceOverrides(prices: Prices, call: Call): ReadonlyMap<ChannelEntry, Price> | null {
  const { endpoint, candidates, summary, body, prompt } = call;
  if (isTask(endpoint.capability) || body.form) return null;
  const byChannel = new Map<ChannelEntry, Price>();
  for (const channel of candidates.tiers.flatMap(({ channels }) => channels)) {
    const { paramOverride, type, keys } = channel;
    if (!paramOverride) continue;
    const model = upstreamModelOf(channel, summary.model, candidates.model);
    const { capability } = endpoint;
    if (providerOf(type)?.nativeFormat?.({ capability, model }, keys[0] ?? "")) continue;
    try {
      byChannel.set(channel, priceOf(prices, { ...call, prompt: { ...prompt, ...paramOverride } }, model));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  }
  return byChannel.size > 0 ? byChannel : null;
}

function priceOf(prices: Prices, call: Call, upstreamModel: string): Price {
  const { caller, summary, endpoint } = call;
  const { usdWithoutPrice } = endpoint;
  const price = usdWithoutPrice
    ? prices.ofTask(caller, summary.model, usdWithoutPrice, upstreamModel)
    : prices.of(caller, summary.model, upstreamModel);
  return endpoint.priceOf?.(price, call, upstreamModel, prices.catalog()) ?? price;
}

/** A model may have a thousand channels: their names for it are cached as long as the routes. */
const namesByCandidates = new WeakMap<object, Readonly<{ requested: string; names: readonly string[] }>>();

/** The names by which a model's channels call it upstream. */
export function upstreamNames(candidates: Candidates, requested: string): readonly string[] {
  const known = namesByCandidates.get(candidates);
  if (known?.requested === requested) return known.names;
  const names = upstreamModelsOf(candidates, requested);
  namesByCandidates.set(candidates, { requested, names });
  return names;
}

/** A call as one model serves it, and what it costs there. */
export type PricedCall = Readonly<{ call: Call; prices: CallPrices }>;

/** The tiers in which a call may be served, each as the names by which it is charged; without names: the standard one. */
type PossibleTiers = readonly (readonly string[])[];

/** Where a request leaves the tier to the provider: those that the model has prices for, and at least these. */
const CHOSEN_BY_PROVIDER = ["priority"];

/** What a request asks for, in any client's format. */
const requestedIn = (body: JsonObject) => ({
  serviceTier: (textOf(body.service_tier) ?? textOf(body.serviceTier))?.toLowerCase().replace(/^service_tier_/, ""),
  speed: textOf(body.speed) ?? undefined,
  inferenceGeo: textOf(body.inference_geo) ?? undefined,
});

/** The tiers that the client names; without `auto`, which names none. */
export const requestedTiers = ({ body }: Call): readonly string[] =>
  asksForTier(body.json) ? tierNames(requestedIn(body.json)) : NO_TIERS;

/** The tiers that a request with these members may be served in, by the price of its model. */
function tiersOf(body: JsonObject, price: Price): PossibleTiers {
  const requested = requestedIn(body);
  const names = tierNames(requested);
  if (requested.serviceTier !== "auto") return [names];
  const own = [...(price.serviceTiers?.keys() ?? [])].filter((name) => name !== "fast" && !name.startsWith("geo:"));
  return [...new Set([...own, ...CHOSEN_BY_PROVIDER])].map((tier) => [tier, ...names]);
}

/** Members of overrides that ask for a tier, by candidates: a model may have a thousand channels. */
const overridesByCandidates = new WeakMap<Candidates, readonly JsonObject[]>();

function findTierOverrides(candidates: Candidates): readonly JsonObject[] {
  const overrides = candidates.tiers
    .flatMap(({ channels }) => channels)
    .flatMap(({ paramOverride }) => (paramOverride && asksForTier(paramOverride) ? [paramOverride] : []));
  overridesByCandidates.set(candidates, overrides);
  return overrides;
}

const asksForTier = (body: JsonObject): boolean =>
  (body.service_tier ?? body.serviceTier ?? body.speed ?? body.inference_geo) != null;

/** The most that a call can cost by one price, in any tier that the client, or a channel's override, asks for. */
export function estimateInTiers(
  { body, candidates }: Call,
  price: Price,
  expected: Parameters<typeof estimate>[1],
  unit: Decimal,
): number {
  const overrides = overridesByCandidates.get(candidates) ?? findTierOverrides(candidates);
  const bodies = asksForTier(body.json) ? [body.json, ...overrides] : overrides;
  let upper = estimate(price, expected, unit);
  for (const each of bodies)
    for (const names of tiersOf(each, price)) upper = Math.max(upper, estimate(inTiers(price, names), expected, unit));
  return upper;
}

/** Throws GatewayError 400 for a tier that the model has no price for. */
export function refuseUnpricedTier(call: Call, prices: CallPrices): void {
  const names = requestedTiers(call);
  for (const price of possiblePrices(prices)) {
    const tier = names.find((name) => !isTierPriced(price, name));
    if (tier === undefined) continue;
    const params = { tier, model: call.summary.model };
    throw new GatewayError(400, "service_tier_not_priced", { code: "gateway_service_tier", params });
  }
}
