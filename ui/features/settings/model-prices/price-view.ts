import { useMemo } from "react";
import { type Address, useAddress } from "../../../components/use-address.ts";
import { useSettings } from "../settings-store.tsx";
import { type NumberMap, PRICE_KEYS, type PriceKey, type PriceMaps, readPriceMaps } from "./price-maps.ts";

export const PRICE_VIEWS = ["visual", "json", "unset"] as const;
export type PriceViewName = (typeof PRICE_VIEWS)[number];

type PriceView = Readonly<{
  name: PriceViewName;
  /** Part of a model's name. */
  search: string;
  /** per_token, per_call or empty: both. */
  billing: string;
  address: Address;
}>;

/** The parameters to remove when another tab of the settings is opened. */
export const NO_PRICE_VIEW = { prices: undefined, model: undefined, billing: undefined, p: undefined };

/** The view of the prices, kept in the URL. */
export function usePriceView(): PriceView {
  const page = useAddress({ keepsPlace: true });
  // Without it the prices would close with the last of their filters.
  const address: Address = { ...page, set: (changes) => page.set({ section: "pricing", ...changes }) };
  const viewName = address.text("prices");
  return {
    name: PRICE_VIEWS.find((known) => known === viewName) ?? "visual",
    search: address.text("model"),
    billing: address.text("billing"),
    address,
  };
}

type EditedPrices = Readonly<{
  /** The edited maps, or the option that is not a valid map. */
  edited: PriceMaps | { invalid: PriceKey };
  saved: PriceMaps | { invalid: PriceKey };
  /** Updates the drafts; saves nothing. */
  apply: (maps: Partial<Record<PriceKey, NumberMap>>) => void;
}>;

/** The price options as maps. */
export function usePriceMaps(): EditedPrices {
  const { textOf, values, change } = useSettings();
  const edited = useMemo(() => readPriceMaps(textOf), [textOf]);
  const saved = useMemo(() => readPriceMaps((key) => values[key] ?? ""), [values]);
  const apply = (maps: Partial<Record<PriceKey, NumberMap>>) => {
    for (const key of PRICE_KEYS) {
      const map = maps[key];
      if (map) change(key, JSON.stringify(map, null, 2));
    }
  };
  return { edited, saved, apply };
}
