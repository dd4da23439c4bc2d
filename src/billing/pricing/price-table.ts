import { nowSeconds } from "../../lib/clock.ts";
import { type Decimal, decimal, ONE, ZERO } from "../../lib/values/decimal.ts";
import { hoursAt, type PriceHours } from "./price-hours.ts";
import {
  type ContextTier,
  discounted,
  discountsAt,
  type GroupDiscount,
  type PriceVariant,
  variantsInForce,
} from "./price-rules.ts";
import { type ModelRatios, modelRatios } from "./ratios/group-ratios.ts";
import type { TierFactors } from "./service-tiers.ts";

/** Model (or group) name → exact number. */
type Ratios = ReadonlyMap<string, Decimal>;

/** The price options at one moment. */
export type PriceTable = Readonly<{
  modelRatio: Ratios;
  /** USD per call. */
  modelPrice: Ratios;
  megapixelPrice: Ratios;
  completionRatio: Ratios;
  cacheRatio: Ratios;
  cacheCreationRatio: Ratios;
  audioRatio: Ratios;
  audioCompletionRatio: Ratios;
  imageRatio: Ratios;
  imageCompletionRatio: Ratios;
  /** What groups pay at the moment: discounts are in it. */
  groupRatio: Ratios;
  /** Group → the discount in force. */
  discounts: ReadonlyMap<string, GroupDiscount>;
  groupModelRatio: ReadonlyMap<string, ModelRatios>;
  groupGroupRatio: ReadonlyMap<string, Ratios>;
  /** Model → steps by length of the prompt, ascending. */
  contextTiers: ReadonlyMap<string, readonly ContextTier[]>;
  /** Model → what its service tiers multiply the price by. */
  serviceTiers: ReadonlyMap<string, TierFactors>;
  /** Tier → multiplier, where a model has no price for it. */
  tierMultipliers: Ratios;
  /** Model → hours at which it costs more or less, and those in force at the moment. */
  hourRules: ReadonlyMap<string, readonly PriceHours[]>;
  hours: ReadonlyMap<string, PriceHours>;
  /** Model → what a second, or a video, of a variant costs. */
  videoPrice: ReadonlyMap<string, readonly PriceVariant[]>;
  /** USD per use of a tool that the provider runs. */
  toolPrice: Ratios;
  /** The upstream's name is priced before the requested one. */
  byUpstream: boolean;
  /** Model ratio of a model without any price, for those who accept that. */
  unsetRatio: Decimal;
}>;

/** What models without a price cost who accepts that. */
export const UNSET_MODEL_RATIO = decimal("37.5");

type PriceOption =
  | "ModelRatio"
  | "ModelPrice"
  | "MegapixelPrice"
  | "CompletionRatio"
  | "CacheRatio"
  | "CacheCreationRatio"
  | "AudioRatio"
  | "AudioCompletionRatio"
  | "ImageRatio"
  | "ImageCompletionRatio"
  | "GroupRatio"
  | "ToolPrice"
  | "ServiceTierMultipliers";

/** The part of the settings that prices are made of; `version` grows with every change. */
export type PriceSettings = Readonly<{
  version: number;
  get(option: PriceOption): Ratios;
  get(option: "GroupModelRatio" | "GroupGroupRatio"): ReadonlyMap<string, Ratios>;
  get(option: "ContextTiers"): ReadonlyMap<string, readonly ContextTier[]>;
  get(option: "ServiceTiers"): ReadonlyMap<string, TierFactors>;
  get(option: "PriceHours"): ReadonlyMap<string, readonly PriceHours[]>;
  get(option: "VideoPrice"): ReadonlyMap<string, readonly PriceVariant[]>;
  get(option: "GroupDiscounts"): readonly GroupDiscount[];
  get(option: "PriceByUpstreamModel" | "SelfUseModeEnabled"): boolean;
}>;

/**
 * Returns a function that gives the price table as it is now: the same one until an option changes, or a discount or
 * hours with a price of their own begin or end. `now` returns epoch seconds.
 */
export function createPriceTable(settings: PriceSettings, now: () => number = nowSeconds): () => PriceTable {
  let builtFor = Number.NaN;
  let validUntil = Number.POSITIVE_INFINITY;
  let table: PriceTable;
  return () => {
    if (builtFor !== settings.version || now() >= validUntil) {
      builtFor = settings.version;
      const active = discountsAt(settings.get("GroupDiscounts"), now());
      const hourRules = settings.get("PriceHours");
      const hours = hoursAt(hourRules, now());
      validUntil = Math.min(active.validUntil, hours.validUntil);
      const groupRatio = new Map(settings.get("GroupRatio"));
      for (const [group, discount] of active.byGroup) {
        groupRatio.set(group, discounted(groupRatio.get(group) ?? ONE, discount));
      }
      table = {
        modelRatio: settings.get("ModelRatio"),
        modelPrice: settings.get("ModelPrice"),
        megapixelPrice: settings.get("MegapixelPrice"),
        completionRatio: settings.get("CompletionRatio"),
        cacheRatio: settings.get("CacheRatio"),
        cacheCreationRatio: settings.get("CacheCreationRatio"),
        audioRatio: settings.get("AudioRatio"),
        audioCompletionRatio: settings.get("AudioCompletionRatio"),
        imageRatio: settings.get("ImageRatio"),
        imageCompletionRatio: settings.get("ImageCompletionRatio"),
        groupRatio,
        groupModelRatio: new Map(
          [...settings.get("GroupModelRatio")].map(([group, ratios]) => [group, modelRatios(ratios)]),
        ),
        groupGroupRatio: settings.get("GroupGroupRatio"),
        discounts: active.byGroup,
        contextTiers: settings.get("ContextTiers"),
        serviceTiers: settings.get("ServiceTiers"),
        tierMultipliers: settings.get("ServiceTierMultipliers"),
        hourRules,
        hours: hours.byModel,
        videoPrice: variantsInForce(settings.get("ModelPrice"), settings.get("VideoPrice")),
        toolPrice: settings.get("ToolPrice"),
        byUpstream: settings.get("PriceByUpstreamModel"),
        // Who runs the gateway for themselves needs no prices.
        unsetRatio: settings.get("SelfUseModeEnabled") ? ZERO : UNSET_MODEL_RATIO,
      };
    }
    return table;
  };
}
