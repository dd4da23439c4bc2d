import { numberOf } from "../../dialects/json.ts";
import { openaiChatDoor } from "../../dialects/openai-chat/index.ts";
import { decimal } from "../../lib/decimal.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";

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

/** Fixed prices of videos are those of a second. */
export const video: Endpoint = {
  ...base,
  capability: "video",
  priceOf: (price, { prompt }) =>
    price.kind === "per_call" ? { ...price, seconds: numberOf(prompt.seconds) ?? 1 } : price,
};
