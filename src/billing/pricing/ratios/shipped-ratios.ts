import { PRICE_SECTIONS } from "../list-prices.ts";
import { type PriceRatios, ratiosOf } from "./catalog-ratios.ts";

/** The shipped price of each model as the price options keep it. */
export const SHIPPED_RATIOS: ReadonlyMap<string, PriceRatios> = new Map(
  PRICE_SECTIONS.flatMap(({ prices, currency }) =>
    Object.entries(prices).map(([model, price]) => [model, ratiosOf(price, price.currency ?? currency)]),
  ),
);
