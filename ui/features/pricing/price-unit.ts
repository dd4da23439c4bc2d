import { type PricedModel, tokenPrice } from "./pricing.ts";

/** USD of an image for each unit of model ratio, at 1024 × 1024 (reference behaviour 3.6). */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
/** So many tokens a minute of sound counts as. */
const TOKENS_PER_MINUTE = 1000;

/** USD of a model's unit, of a million where tokens or characters are counted, in a group with such a factor. */
export function unitPrice(model: PricedModel, groupRatio: number, quotaPerUnit: number): number {
  if (model.quota_type === 1) return model.model_price * groupRatio;
  if (model.unit === "image") return model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio;
  const { input } = tokenPrice(model, groupRatio, quotaPerUnit);
  return model.unit === "minute" ? (input * TOKENS_PER_MINUTE) / 1_000_000 : input;
}
