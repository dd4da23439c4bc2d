import { type AskedVariant, variantOf } from "../../billing/pricing/rules/price-variants.ts";
import { numberOf, recordOf } from "../../formats/json.ts";
import { openaiChatClientCodec } from "../../formats/openai-chat/index.ts";
import { decimal, isZero, ZERO } from "../../lib/values/decimal.ts";
import { noPrice } from "../billing/price.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import { drawingRules, musicRules, videoRules } from "./request-rules.ts";

/** What the calls that order tasks have in common; their orders are read by their own protocols. */
const base = {
  codec: openaiChatClientCodec,
  streams: false,
  emptyIsFree: false,
  read: () => {
    throw new TypeError("orders are read by their protocol");
  },
} as const;

/** A drawing or a song without a price costs so much. */
const usdWithoutPrice = decimal("0.1");

export const drawing: Endpoint = { ...base, capability: "drawing", rules: drawingRules, usdWithoutPrice };
export const music: Endpoint = { ...base, capability: "music", rules: musicRules, usdWithoutPrice };

/** What an order says of itself, as prices tell variants apart. */
const askedOf = (asked: unknown): AskedVariant =>
  Object.fromEntries(Object.entries(recordOf(asked) ?? {}).map(([field, value]) => [field, String(value)]));

/** Fixed prices of videos are those of a second. */
export const video: Endpoint = {
  ...base,
  capability: "video",
  rules: videoRules,
  priceOf(price, { prompt, summary }) {
    const seconds = numberOf(prompt.seconds) ?? 1;
    if (price.kind === "per_token") {
      // A price of tokens is none of a video; where the site is for its owner alone what has none is free.
      if (!isZero(price.modelRatio)) throw noPrice(summary.model);
      return { kind: "per_call", pricedAs: price.pricedAs, groupRatio: price.groupRatio, usdPerCall: ZERO, seconds };
    }
    const variant = variantOf(price.variants, askedOf(prompt.asked));
    return {
      ...price,
      ...(variant && { usdPerCall: variant.usd, variant: variant.text }),
      seconds,
    };
  },
};
