import { capabilityOf } from "./model-traits.ts";
import { type PricedModel, tokenPrice } from "./pricing.ts";

/** What a price is for; characters are counted in place of tokens, a minute of sound counts 1,000 of them. */
type PriceUnit = "token" | "character" | "minute" | "image" | "second" | "call";

/** USD of an image for each unit of model ratio, at 1024 × 1024 (reference behaviour 3.6). */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
const TOKENS_PER_MINUTE = 1000;

/** Pictures that report tokens are billed by these; drawings are ordered by the call. */
const PICTURES_BY_TOKEN = /^(gpt-image|chatgpt-image|gemini)/;
const DRAWINGS = /^mj_|midjourney/;

/** What a fixed price of a model is for. */
export function fixedUnitOf(name: string): "image" | "second" | "call" {
  if (capabilityOf(name) === "video") return "second";
  return isPicture(name) ? "image" : "call";
}

/** The unit in which a model is billed, as the relay does it. */
export function unitOf({ model_name: name, quota_type: type }: PricedModel): PriceUnit {
  if (type === 1) return fixedUnitOf(name);
  if (isPicture(name) && !PICTURES_BY_TOKEN.test(name)) return "image";
  if (name.startsWith("tts")) return "character";
  return name.startsWith("whisper") ? "minute" : "token";
}

/** USD of one such unit, of a million where tokens or characters are counted, in a group with such a factor. */
export function unitPrice(model: PricedModel, groupRatio: number, quotaPerUnit: number): number {
  const unit = unitOf(model);
  if (model.quota_type === 1) return model.model_price * groupRatio;
  if (unit === "image") return model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio;
  const { input } = tokenPrice(model, groupRatio, quotaPerUnit);
  return unit === "minute" ? (input * TOKENS_PER_MINUTE) / 1_000_000 : input;
}

const isPicture = (name: string): boolean => capabilityOf(name) === "image" && !DRAWINGS.test(name);
