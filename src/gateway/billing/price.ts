import { LRUCache } from "lru-cache";
import { createPriceTable, type PriceTable } from "../../billing/pricing/price-table.ts";
import { ownRatios } from "../../billing/pricing/ratios/own-ratios.ts";
import { type UsdPrices, usdPrices } from "../../billing/pricing/ratios/usd-prices.ts";
import { findPrice, resolvePrice } from "../../billing/pricing/resolve-price.ts";
import type { Price } from "../../billing/types.ts";
import { type Decimal, integer, ONE } from "../../lib/values/decimal.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Caller } from "../auth/authenticate.ts";
import { GatewayError } from "../call/errors.ts";

/** What a price depends on besides the model. */
type PricePayer = Readonly<{ group: string; user: Pick<Caller["user"], "acceptUnsetPrice"> }>;

export type Prices = {
  /** The price of a call. Throws GatewayError if the model has none and the caller does not accept that. */
  of(payer: PricePayer, requestedModel: string, upstreamModel: string): Price;
  /** The price of a task: a fixed price, else a ratio converted to one, else `usd`. */
  ofTask(caller: Caller, model: string, usd: Decimal): Price;
  /** A model's price per unit for a caller, in dollars; null if it has none. */
  usd(payer: Pick<PricePayer, "group">, requestedModel: string, upstreamModels: readonly string[]): UsdPrices | null;
  quotaPerUnit(): Decimal;
};

/** Cached prices: the models, groups and mappings in use. */
const MAX_CACHED = 5_000;

/** Resolves prices from the settings, each once until an option changes. */
export function createPrices(settings: SettingsReader): Prices {
  const table = createPriceTable(settings);
  const cached = new LRUCache<string, Price>({ max: MAX_CACHED });
  let version = Number.NaN;
  let cachedTable: PriceTable | null = null;
  let unit = integer(1);

  const refresh = () => {
    version = settings.version;
    cachedTable = table();
    cached.clear();
    unit = integer(settings.get("QuotaPerUnit"));
  };

  return {
    of(payer, requestedModel, upstreamModel) {
      // Discounts can begin and end without a changed option.
      if (version !== settings.version || cachedTable !== table()) refresh();
      const acceptUnset = payer.user.acceptUnsetPrice || settings.get("SelfUseModeEnabled");
      const name = `${payer.group}\n${requestedModel}\n${upstreamModel}\n${acceptUnset}`;
      const known = cached.get(name);
      if (known) return known;
      const price = resolvePrice(table(), { requestedModel, upstreamModel, group: payer.group, acceptUnset });
      if (!price) throw noPrice(requestedModel);
      cached.set(name, price);
      return price;
    },
    ofTask({ group }, model, usd) {
      const query = { requestedModel: model, upstreamModel: model, group, acceptUnset: false };
      const price = resolvePrice(table(), query);
      if (price?.kind === "per_call") return price;
      const groupRatio = price?.groupRatio ?? table().groupRatio.get(group) ?? ONE;
      const discount = table().discounts.get(group);
      return { kind: "per_call", pricedAs: model, groupRatio, discount, usdPerCall: price?.modelRatio ?? usd };
    },
    usd({ group }, requestedModel, upstreamModels) {
      const price = findPrice(table(), { requestedModel, upstreamModels, group });
      if (!price) return null;
      const own = price.kind === "per_token" ? ownRatios(table(), price) : {};
      const parts = { audio: own.audio !== undefined, cacheWrite: own.cacheCreation !== undefined };
      return usdPrices(price, parts, integer(settings.get("QuotaPerUnit")));
    },
    quotaPerUnit() {
      if (version !== settings.version) refresh();
      return unit;
    },
  };
}

export const noPrice = (model: string): GatewayError =>
  new GatewayError(500, "model_price_error", { code: "gateway_no_price", params: { model } });
