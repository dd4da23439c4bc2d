import { jsonMap, ratioShape, textShape } from "../json-option.ts";

/** What models cost (ratio 1 = $2 per million tokens) and what groups pay. Saving a map replaces it whole. */
export const pricingOptions = {
  ModelRatio: jsonMap({}, ratioShape),
  /** Dollars per call; wins over the ratios. */
  ModelPrice: jsonMap({}, ratioShape),
  CompletionRatio: jsonMap({}, ratioShape),
  CacheRatio: jsonMap({}, ratioShape),
  CacheCreationRatio: jsonMap({}, ratioShape),
  AudioRatio: jsonMap({}, ratioShape),
  AudioCompletionRatio: jsonMap({}, ratioShape),
  GroupRatio: jsonMap({ default: 1, vip: 1, svip: 1 }, ratioShape),
  /** Group → description: groups that anybody may choose besides their own. */
  UserUsableGroups: jsonMap({ default: "Default group", vip: "VIP group" }, textShape),
};
