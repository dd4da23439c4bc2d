import { drawsByToken } from "../../billing/pricing/price-unit.ts";
import type { Price } from "../../billing/types.ts";
import { type JsonObject, numberOf, textOf } from "../../dialects/json.ts";
import { type Decimal, decimal, multiply, whole } from "../../lib/decimal.ts";

/** USD per image for each unit of model ratio, where a model has a ratio only (reference behaviour 3.6). */
const USD_PER_RATIO = decimal("0.0025");

const SIZES: Readonly<Record<string, Decimal>> = {
  "256x256": decimal("0.4"),
  "512x512": decimal("0.45"),
  "1024x1792": whole(2),
  "1792x1024": whole(2),
};
const ONE = whole(1);
const MOST_IMAGES = 128;

/**
 * The price of an order of images: by number, size and quality (reference behaviour 3.6). What model it is says the name
 * that has the price, or the one after the channel's mapping: that of the request may be any.
 */
export function priceOfImages(price: Price, body: JsonObject, upstreamModel: string): Price {
  const names = [price.pricedAs, upstreamModel];
  if (price.kind === "per_token" && names.some(drawsByToken)) return price;
  const usd = price.kind === "per_call" ? price.usdPerCall : multiply(price.modelRatio, USD_PER_RATIO);
  const { groupRatio, discount, pricedAs } = price;
  return {
    kind: "per_call",
    pricedAs,
    groupRatio,
    discount,
    usdPerCall: multiply(multiply(usd, factorOf(body, names)), whole(countOf(body))),
  };
}

/** Images asked for, from 1 to 128. */
export const countOf = (body: JsonObject): number => {
  const asked = numberOf(body.n) ?? Number(textOf(body.n) ?? 1);
  return Number.isFinite(asked) ? Math.min(MOST_IMAGES, Math.max(1, Math.floor(asked))) : 1;
};

function factorOf(body: JsonObject, names: readonly string[]): Decimal {
  const size = textOf(body.size) ?? "1024x1024";
  const bySize = SIZES[size] ?? ONE;
  if (!names.includes("dall-e-3") || body.quality !== "hd") return bySize;
  return multiply(bySize, size === "1024x1792" || size === "1792x1024" ? decimal("1.5") : whole(2));
}
