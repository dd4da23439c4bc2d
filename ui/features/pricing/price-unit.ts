import { type PriceChange, type PricedModel, usdPerMillion } from "./pricing.ts";

/** USD of an image for each unit of model ratio, at 1024 × 1024 (reference behaviour 3.6). */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
/** So many tokens a minute of sound counts as. */
const TOKENS_PER_MINUTE = 1000;

type Priced = Pick<PricedModel, "quota_type" | "model_price" | "model_ratio" | "unit">;

/** USD of a model's unit, of a million where tokens or characters are counted, in a group with such a factor. */
export function unitPrice(model: Priced, groupRatio: number, quotaPerUnit: number): number {
  if (model.quota_type === 1) return model.model_price * groupRatio;
  if (model.unit === "image") return model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio;
  const input = usdPerMillion(model.model_ratio, quotaPerUnit) * groupRatio;
  return model.unit === "minute" ? (input * TOKENS_PER_MINUTE) / 1_000_000 : input;
}

type Tag = NonNullable<PriceChange["after"]>;

/**
 * The unit that a price of a model was for, and the USD of it (as `unitPrice` tells), of a million tokens in and out. `unit`:
 * what the model's price is for now; undefined when it is no longer offered.
 */
export function unitTag(tag: Tag, unit: PricedModel["unit"] | undefined, quotaPerUnit: number) {
  if ("usdPerCall" in tag) {
    return { unit: unit === "image" || unit === "second" ? unit : ("call" as const), usd: Number(tag.usdPerCall) };
  }
  if (unit !== "character" && unit !== "minute" && unit !== "image") {
    const input = usdPerMillion(Number(tag.modelRatio), quotaPerUnit);
    return { unit: "token" as const, input, output: input * Number(tag.completionRatio) };
  }
  const priced = { unit, quota_type: 0, model_price: 0, model_ratio: Number(tag.modelRatio) } as const;
  return { unit, usd: unitPrice(priced, 1, quotaPerUnit) };
}
