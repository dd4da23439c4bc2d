import type { Decimal } from "../../../lib/values/decimal.ts";
import { PRICE_SECTIONS } from "../list-prices.ts";
import type { RatioMap } from "../ratios/default-ratios.ts";
import { inDollars } from "../ratios/in-dollars.ts";

/**
 * Shipped default of the option ToolPrice: USD for each use of a tool that the provider runs itself. `tool:prefix` is the
 * price with models whose names begin so. Code interpreter is charged by container.
 */
export const DEFAULT_TOOL_PRICE: RatioMap = Object.fromEntries(
  PRICE_SECTIONS.flatMap(({ toolUse = {}, currency }) =>
    Object.entries(toolUse).map(([tool, price]) => [tool, inDollars(price, currency)]),
  ),
);

/** USD for one use of a tool with a model: the entry with the longest prefix counts; undefined: it costs nothing. */
export function toolPriceOf(prices: ReadonlyMap<string, Decimal>, tool: string, model: string): Decimal | undefined {
  for (let length = model.length; length > 0; length -= 1) {
    const own = prices.get(`${tool}:${model.slice(0, length)}`);
    if (own) return own;
  }
  return prices.get(tool);
}
