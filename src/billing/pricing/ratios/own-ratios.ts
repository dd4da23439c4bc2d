import type { Decimal } from "../../../lib/values/decimal.ts";
import type { Price } from "../../types.ts";
import type { PriceTable } from "../price-table.ts";
import { familyAudioRatio, isBilledForCacheWrites } from "./family-ratios.ts";

/** Factors of sound and of writing to the cache; absent: the model has none of its own. */
type OwnRatios = Readonly<{ audio?: Decimal; audioCompletion?: Decimal; cacheCreation?: Decimal }>;

/**
 * Those factors of a price by tokens that the model, or its family, has for itself: in addition every price has the
 * general ones, for the case that an upstream reports such tokens.
 */
export function ownRatios(table: PriceTable, price: Extract<Price, { kind: "per_token" }>): OwnRatios {
  const name = price.pricedAs;
  const hasAudio = familyAudioRatio(name) !== undefined;
  const writes = table.cacheCreationRatio.has(name) || isBilledForCacheWrites(name);
  return {
    ...((hasAudio || table.audioRatio.has(name)) && { audio: price.audioRatio }),
    ...((hasAudio || table.audioCompletionRatio.has(name)) && { audioCompletion: price.audioCompletionRatio }),
    ...(writes && { cacheCreation: price.cacheCreationRatio }),
  };
}
