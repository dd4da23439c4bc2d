import { type Decimal, multiply, ONE } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";
import type { PriceTable } from "./price-table.ts";
import {
  AUDIO_COMPLETION_RATIO,
  CACHE_CREATION_RATIO,
  familyAudioRatio,
  familyCompletionRatio,
  LONG_CACHE_FACTOR,
} from "./ratios/family-ratios.ts";
import { type GroupPayer, type GroupPays, groupPays } from "./ratios/group-ratios.ts";

type PriceQuery = Readonly<{
  requestedModel: string;
  /** The name after the channel's mapping. */
  upstreamModel: string;
  group: string;
  /** The user's own group; absent: of nobody in particular. */
  userGroup?: string | undefined;
  /** The site is in self-use mode, or the user accepts models without a price. */
  acceptUnset: boolean;
}>;

/**
 * The price of a call: the requested name's, else the upstream name's, or by an option the other way round; fixed price before
 * ratios. A model without a
 * price gives null, or the table's ratio for these when the caller accepts that. An unknown group has the factor 1.
 */
export function resolvePrice(table: PriceTable, query: PriceQuery): Price | null {
  const pays = groupPays(table, query, query.requestedModel);
  const { requestedModel, upstreamModel } = query;
  const [first, second] = table.byUpstream ? [upstreamModel, requestedModel] : [requestedModel, upstreamModel];
  const priced = priceOf(table, first, pays) ?? priceOf(table, second, pays);
  if (priced || !query.acceptUnset) return priced ?? null;
  return perToken(table, query.requestedModel, pays, table.unsetRatio);
}

/**
 * The price of a model as calls are charged: the requested name's, else that of the first upstream name which has one, or by an
 * option the other way round. Null: none of them has.
 */
export function findPrice(
  table: PriceTable,
  query: Readonly<{ requestedModel: string; upstreamModels: readonly string[] }> & GroupPayer,
): Price | null {
  const { requestedModel, group, userGroup } = query;
  for (const upstreamModel of query.upstreamModels) {
    const price = resolvePrice(table, { requestedModel, upstreamModel, group, userGroup, acceptUnset: false });
    if (price) return price;
  }
  return null;
}

function priceOf(table: PriceTable, model: string, pays: GroupPays): Price | undefined {
  const name = collapseGizmo(model);
  const usdPerCall = table.modelPrice.get(name);
  if (usdPerCall) {
    const variants = table.videoPrice.get(name);
    const usdPerMegapixel = table.megapixelPrice.get(name);
    const extras = { toolPrices: table.toolPrice, variants, usdPerMegapixel, ...rulesOf(table, name) };
    return { kind: "per_call", pricedAs: name, ...pays, usdPerCall, ...extras };
  }
  const modelRatio = table.modelRatio.get(name);
  return modelRatio && perToken(table, name, pays, modelRatio);
}

/** Service tiers and hours, which multiply the prices of both kinds. */
const rulesOf = (table: PriceTable, name: string) => ({
  serviceTiers: table.serviceTiers.get(name),
  tierMultipliers: table.tierMultipliers,
  hourRules: table.hourRules.get(name),
  hours: table.hours.get(name),
});

function perToken(table: PriceTable, name: string, pays: GroupPays, modelRatio: Decimal): Price {
  const completionRatio = table.completionRatio.get(name) ?? familyCompletionRatio(name);
  const audioRatio = table.audioRatio.get(name) ?? familyAudioRatio(name);
  const cacheCreationRatio = table.cacheCreationRatio.get(name) ?? CACHE_CREATION_RATIO;
  return {
    kind: "per_token",
    pricedAs: name,
    ...pays,
    toolPrices: table.toolPrice,
    ...rulesOf(table, name),
    modelRatio,
    completionRatio,
    cacheRatio: table.cacheRatio.get(name) ?? ONE,
    cacheCreationRatio,
    longCacheCreationRatio: multiply(cacheCreationRatio, LONG_CACHE_FACTOR),
    contextTiers: table.contextTiers.get(name),
    audioRatio: audioRatio ?? ONE,
    audioCompletionRatio:
      table.audioCompletionRatio.get(name) ?? (audioRatio ? AUDIO_COMPLETION_RATIO : completionRatio),
    imageRatio: table.imageRatio.get(name),
    imageCompletionRatio: table.imageCompletionRatio.get(name),
  };
}

/** Every custom GPT has its own name but one price. */
function collapseGizmo(model: string): string {
  if (model.startsWith("gpt-4-gizmo")) return "gpt-4-gizmo-*";
  return model.startsWith("gpt-4o-gizmo") ? "gpt-4o-gizmo-*" : model;
}
