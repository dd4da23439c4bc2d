import { useMemo } from "react";
import { type NumberMap, PRICE_KEYS, type PriceKey, type PriceMaps, readPriceMaps } from "./price-maps.ts";
import { useSettings } from "./settings-store.tsx";

type EditedPrices = Readonly<{
  /** As they are being edited; the option that is no valid map instead. */
  edited: PriceMaps | { invalid: PriceKey };
  saved: PriceMaps | { invalid: PriceKey };
  /** Changes what is being edited; nothing is saved yet. */
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
