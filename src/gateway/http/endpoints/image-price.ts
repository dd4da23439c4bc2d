import { drawsByToken } from "../../../billing/pricing/rules/price-unit.ts";
import type { Price } from "../../../billing/types.ts";
import { type JsonObject, textOf } from "../../../formats/json.ts";
import { MOST_CHOICES } from "../../../formats/request-rules/number-limits.ts";
import { type Decimal, decimal, multiply, whole } from "../../../lib/values/decimal.ts";
import { lookupTable } from "../../../lib/values/lookup-table.ts";

/** USD per image for each unit of model ratio, where a model has a ratio only. */
const USD_PER_RATIO = decimal("0.0025");

const SIZES = lookupTable<Decimal>({
  "256x256": decimal("0.4"),
  "512x512": decimal("0.45"),
  "1024x1792": whole(2),
  "1792x1024": whole(2),
});
const ONE = whole(1);

/**
 * The price of an order of images: by number, size and quality. What model it is says the name
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

/** Images asked for, from 1 to 128, by whichever of these names is for the most; in forms numbers are text. */
export const countOf = (body: JsonObject): number => {
  const counts = [body.n, body.batch_size, body.num_images].map((count) => Number(count ?? 1));
  return Math.min(MOST_CHOICES, Math.max(1, ...counts.filter(Number.isInteger)));
};

/** Width and height of a size as providers read it, "1024x1792"; null: it has none, as "auto". */
export function pixelsOf(size: string): readonly [width: number, height: number] | null {
  const [, width, height] = /^\s*(\d+)\s*[x*×]\s*(\d+)\s*$/i.exec(size) ?? [];
  return width === undefined || height === undefined ? null : [Number(width), Number(height)];
}

function factorOf(body: JsonObject, names: readonly string[]): Decimal {
  const size = pixelsOf(textOf(body.size) ?? "1024x1024")?.join("x") ?? "";
  const bySize = SIZES[size] ?? ONE;
  if (!names.includes("dall-e-3") || textOf(body.quality)?.trim().toLowerCase() !== "hd") return bySize;
  return multiply(bySize, size === "1024x1792" || size === "1792x1024" ? decimal("1.5") : whole(2));
}
