import { type AskedVariant, variantOf } from "../../billing/pricing/price-variants.ts";
import { numberOf, recordOf } from "../../dialects/json.ts";
import { openaiChatDoor } from "../../dialects/openai-chat/index.ts";
import { decimal } from "../../lib/decimal.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { noPrice } from "../price.ts";

/** What the calls that order tasks have in common; their orders are read by their own protocols. */
const base = {
  codec: openaiChatDoor,
  streams: false,
  emptyIsFree: false,
  read: () => {
    throw new TypeError("orders are read by their protocol");
  },
} as const;

/** A drawing or a song without a price costs so much (reference behaviour 6.5). */
const usdWithoutPrice = decimal("0.1");

export const drawing: Endpoint = { ...base, capability: "drawing", usdWithoutPrice };
export const music: Endpoint = { ...base, capability: "music", usdWithoutPrice };

/** What an order says of itself, as prices tell variants apart. */
const askedOf = (asked: unknown): AskedVariant =>
  Object.fromEntries(Object.entries(recordOf(asked) ?? {}).map(([field, value]) => [field, String(value)]));

/** Fixed prices of videos are those of a second. */
export const video: Endpoint = {
  ...base,
  capability: "video",
  priceOf(price, { prompt, summary }) {
    // A price of tokens is none of a video.
    if (price.kind === "per_token") throw noPrice(summary.model);
    const variant = variantOf(price.variants, askedOf(prompt.asked));
    return {
      ...price,
      ...(variant && { usdPerCall: variant.usd, variant: variant.text }),
      seconds: numberOf(prompt.seconds) ?? 1,
    };
  },
};
