import { DEFAULT_TOOL_PRICE } from "../../billing/pricing/price-rules.ts";
import {
  DEFAULT_AUDIO_COMPLETION_RATIO,
  DEFAULT_AUDIO_RATIO,
  DEFAULT_CACHE_CREATION_RATIO,
  DEFAULT_CACHE_RATIO,
  DEFAULT_COMPLETION_RATIO,
  DEFAULT_CONTEXT_TIERS,
  DEFAULT_IMAGE_COMPLETION_RATIO,
  DEFAULT_IMAGE_RATIO,
  DEFAULT_MEGAPIXEL_PRICE,
  DEFAULT_MODEL_PRICE,
  DEFAULT_MODEL_RATIO,
  DEFAULT_PRICE_HOURS,
  DEFAULT_SERVICE_TIERS,
  DEFAULT_VIDEO_PRICE,
} from "../../billing/pricing/ratios/default-ratios.ts";
import { DEFAULT_TIER_MULTIPLIERS } from "../../billing/pricing/service-tiers.ts";
import { json, jsonMap, ratioShape, ratiosShape, textShape, textsShape } from "../option/json-option.ts";
import { bool, oneOf } from "../option/option.ts";
import {
  contextTiersShape,
  groupDiscountsShape,
  priceHoursShape,
  priceVariantsShape,
  serviceTiersShape,
} from "../option/price-shapes.ts";

/** What models cost (ratio 1 = $2 per million tokens) and what groups pay. Saving a map replaces it whole. */
export const pricingOptions = {
  ModelRatio: jsonMap(DEFAULT_MODEL_RATIO, ratioShape),
  /** Dollars per call, of videos per second or per video; wins over the ratios. */
  ModelPrice: jsonMap(DEFAULT_MODEL_PRICE, ratioShape),
  CompletionRatio: jsonMap(DEFAULT_COMPLETION_RATIO, ratioShape),
  CacheRatio: jsonMap(DEFAULT_CACHE_RATIO, ratioShape),
  CacheCreationRatio: jsonMap(DEFAULT_CACHE_CREATION_RATIO, ratioShape),
  AudioRatio: jsonMap(DEFAULT_AUDIO_RATIO, ratioShape),
  AudioCompletionRatio: jsonMap(DEFAULT_AUDIO_COMPLETION_RATIO, ratioShape),
  ImageRatio: jsonMap(DEFAULT_IMAGE_RATIO, ratioShape),
  ImageCompletionRatio: jsonMap(DEFAULT_IMAGE_COMPLETION_RATIO, ratioShape),
  /** Dollars per use of a tool that providers run themselves; `tool:prefix` for models whose names begin so. */
  ToolPrice: jsonMap(DEFAULT_TOOL_PRICE, ratioShape),
  /** Model → dollars of each megapixel of an image after the first, which ModelPrice pays, and of each in the request. */
  MegapixelPrice: jsonMap(DEFAULT_MEGAPIXEL_PRICE, ratioShape),
  /** Model → what a second, or a video, of a variant costs, in dollars: `mode=pro`, `size=1024x1792|1792x1024`. */
  VideoPrice: jsonMap(DEFAULT_VIDEO_PRICE, priceVariantsShape),
  /** Model → steps of its price by length of the prompt, as factors: input and output apart. */
  ContextTiers: jsonMap(DEFAULT_CONTEXT_TIERS, contextTiersShape),
  /** Model → service tier (`priority`, `flex`, `batch`, `fast`, `geo:us`) → factors of its price. */
  ServiceTiers: jsonMap(DEFAULT_SERVICE_TIERS, serviceTiersShape),
  /** Service tier → factor where the model has no price for it; `geo`: any region, `*`: any other tier. */
  ServiceTierMultipliers: jsonMap(DEFAULT_TIER_MULTIPLIERS, ratioShape),
  /** Calls that ask for a tier that the model has no price for: charged by the multiplier, or refused. */
  UnpricedServiceTier: oneOf(["multiply", "refuse"], "multiply"),
  /** Model → hours of some days, with their time zone, at which its price is multiplied. */
  PriceHours: jsonMap(DEFAULT_PRICE_HOURS, priceHoursShape),
  /** What groups pay less, and from when until when. */
  GroupDiscounts: json([], groupDiscountsShape),
  /** The price of the upstream's name goes before that of the name that was asked for. */
  PriceByUpstreamModel: bool(false),
  /** Group → model or pattern → ratio in place of the group's. */
  GroupModelRatio: jsonMap({}, ratiosShape),
  /** A user's group → group of the call → ratio in place of the group's. */
  GroupGroupRatio: jsonMap({}, ratiosShape),
  GroupRatio: jsonMap({ default: 1, vip: 1, svip: 1 }, ratioShape),
  /** Group → description: groups that anybody may choose besides their own. */
  UserUsableGroups: jsonMap({ default: "Default group", vip: "VIP group" }, textShape),
  /** The groups of keys whose group is auto, in the order in which they are tried. */
  AutoGroups: json([], textsShape),
};
