import type { PricedModel } from "../../../domain/channels/prices/list-prices.ts";
import type { MessageCode, MessageParams } from "../../../lib/messages.ts";

type Say = (code: MessageCode, params?: MessageParams) => string;

/** USD of an image for each unit of model ratio, at 1024 × 1024. */
const USD_OF_IMAGE_PER_RATIO = 0.0025;
const TOKENS_PER_PRICE = 1_000_000;
/** Tokens charged per minute of audio. */
const TOKENS_PER_MINUTE = 1000;
const DECIMALS = 6;
const FULL = 10_000;

/** The path of a model's page; names contain slashes. */
export const pagePath = (model: string): string => `/model/${model.split("/").map(encodeURIComponent).join("/")}`;

/** What turns the price list's ratios into dollars. */
export type Rate = Readonly<{ groupRatio: number; quotaPerUnit: number }>;

/** The price of a model in a group, as a short text. */
export function priceText(model: PricedModel, { groupRatio, quotaPerUnit }: Rate, say: Say): string {
  if (!model.is_priced) return say("page_unpriced");
  const input = ((model.model_ratio * TOKENS_PER_PRICE) / quotaPerUnit) * groupRatio;
  if (model.unit === "token")
    return say("page_token_price", { input: usd(input), output: usd(input * model.completion_ratio) });
  const perUnit = {
    call: 0,
    second: 0,
    video: 0,
    image: model.model_ratio * USD_OF_IMAGE_PER_RATIO * groupRatio,
    minute: (input * TOKENS_PER_MINUTE) / TOKENS_PER_PRICE,
    character: input,
  };
  const price = usd(model.quota_type === 1 ? model.model_price * groupRatio : perUnit[model.unit]);
  return say(`page_${model.unit}_price`, { price });
}

/** The context window as a text; empty where it is not known. */
export const contextText = ({ context_window }: PricedModel, say: Say): string =>
  context_window === null ? "" : say("page_tokens", { count: context_window.toLocaleString("en") });

/** A share of ten thousand as a percentage; a dash where there is none. */
export const shareText = (share: number | null): string =>
  share === null ? "–" : `${((share / FULL) * 100).toFixed(2)}%`;

const usd = (amount: number): string => `$${Number(amount.toFixed(DECIMALS))}`;
