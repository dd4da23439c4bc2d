import { type RequestedVariant, variantOf } from "../../../billing/pricing/price-rules.ts";
import { numberOf, recordOf } from "../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../formats/openai-chat/index.ts";
import { anyNumber, integer, MAX_CHOICES, type RequestRules, requestMembers } from "../../../formats/request-rules.ts";
import { decimal, isZero, ZERO } from "../../../lib/values/decimal.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { noPrice } from "../../money/price.ts";
import { READ_VIDEO_FIELDS } from "./video/submit-video.ts";

const DAY_S = 86_400;
const MAX_PIXELS = 16_384;

/** Rules for orders of the Midjourney protocol. */
const drawingRules: RequestRules = {
  members: requestMembers(
    `action prompt botType base64Array base64 sourceBase64 targetBase64 maskBase64 customId taskId index content state notifyHook
    accountFilter ids`,
  ),
  numbers: [],
  switches: [],
};

/** Rules for orders of the Suno protocol. */
const musicRules: RequestRules = {
  members: requestMembers(
    "prompt gpt_description_prompt mv task_id continue_clip_id continue_at notify_hook title tags ids action",
  ),
  numbers: [anyNumber("continue_at", 0, DAY_S)],
  switches: [],
};

/** Rules for orders of videos, in OpenAI's format and that of /v1/video/generations. */
const videoRules: RequestRules = {
  members: requestMembers(`${[...READ_VIDEO_FIELDS].join(" ")} video id file_id image_url`),
  numbers: [integer("width", 1, MAX_PIXELS), integer("height", 1, MAX_PIXELS), integer("n", 1, MAX_CHOICES)],
  switches: [],
};

/** What task endpoints have in common; their protocols read the orders. */
const base = {
  isTask: true,
  codec: openaiChatClientCodec,
  streams: false,
  emptyIsFree: false,
  read: () => {
    throw new TypeError("orders are read by their protocol");
  },
} as const;

/** USD for an image or song task without a price. */
const usdWithoutPrice = decimal("0.1");

export const drawing: Endpoint = { ...base, capability: "drawing", rules: drawingRules, usdWithoutPrice };
export const music: Endpoint = { ...base, capability: "music", rules: musicRules, usdWithoutPrice };

/** The fields of an order by which prices distinguish variants. */
const variantFields = (options: unknown): RequestedVariant =>
  Object.fromEntries(Object.entries(recordOf(options) ?? {}).map(([field, value]) => [field, String(value)]));

/** Fixed prices of videos are per second; of models that are billed by the video, per video. */
export const video: Endpoint = {
  ...base,
  capability: "video",
  rules: videoRules,
  priceOf(price, { prompt, summary }, upstreamModel, catalog) {
    const seconds = numberOf(prompt.seconds) ?? 1;
    if (price.kind === "per_token") {
      // A token price does not apply to videos. On a site in self-use mode, models without a price are free.
      if (!isZero(price.modelRatio)) throw noPrice(summary.model);
      return { kind: "per_call", pricedAs: price.pricedAs, groupRatio: price.groupRatio, usdPerCall: ZERO, seconds };
    }
    const variant = variantOf(price.variants, variantFields(prompt.variant));
    const chosen = { ...price, ...(variant && { usdPerCall: variant.usd, variant: variant.text }) };
    const isByVideo = [price.pricedAs, upstreamModel].some((name) => catalog.find(name).billed_by === "video");
    return isByVideo ? chosen : { ...chosen, seconds };
  },
};
