import type { PriceTable } from "../../billing/pricing/price-table.ts";
import { findPrice } from "../../billing/pricing/resolve-price.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { servedModels } from "../channels/routing/abilities.ts";

export type PricedChannels = Readonly<{
  channels: Pick<ChannelDirectory, "all">;
  prices: () => PriceTable;
  /** Calls of models without a price are rejected. */
  needsPrices: boolean;
}>;

const GROUP = "default";

/** Served models whose calls are rejected because they have no price. */
export function unpricedModels({ channels, prices, needsPrices }: PricedChannels): string[] {
  if (!needsPrices) return [];
  const table = prices();
  return servedModels(channels)
    .filter(
      ({ model, upstream }) =>
        findPrice(table, { requestedModel: model, upstreamModels: [model, ...upstream], group: GROUP }) === null,
    )
    .map(({ model }) => model);
}
