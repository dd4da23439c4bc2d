import { type Decimal, decimal, toText } from "../../../lib/values/decimal.ts";
import { DEFAULT_MODEL_PRICE, DEFAULT_VIDEO_PRICE } from "../ratios/default-ratios.ts";
import type { PriceVariant } from "./price-variants.ts";

type Prices = ReadonlyMap<string, Decimal>;
type Variants = ReadonlyMap<string, readonly PriceVariant[]>;

/**
 * Variants that count: shipped ones count only with the shipped price of their model. Who sets another price for it
 * means that one, until they set variants of their own too.
 */
export function variantsInForce(modelPrice: Prices, videoPrice: Variants): Variants {
  const inForce = [...videoPrice].filter(
    ([model, variants]) => hasShippedPrice(modelPrice, model) || !areShipped(model, variants),
  );
  return inForce.length === videoPrice.size ? videoPrice : new Map(inForce);
}

function hasShippedPrice(modelPrice: Prices, model: string): boolean {
  const price = modelPrice.get(model);
  return price !== undefined && isSame(price, DEFAULT_MODEL_PRICE[model]);
}

function areShipped(model: string, variants: readonly PriceVariant[]): boolean {
  const shipped = DEFAULT_VIDEO_PRICE[model] ?? {};
  return (
    variants.length === Object.keys(shipped).length && variants.every(({ text, usd }) => isSame(usd, shipped[text]))
  );
}

const isSame = (price: Decimal, shipped: number | undefined): boolean =>
  shipped !== undefined && toText(price) === toText(decimal(shipped));
