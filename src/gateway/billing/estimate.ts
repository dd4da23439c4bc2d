import { type CacheWrites, estimate } from "../../billing/pricing/estimate.ts";
import type { Price } from "../../billing/types.ts";
import type { JsonObject } from "../../formats/json.ts";
import { countTokenIds, type RequestSummary, weighMedia } from "../../formats/openai-chat/request/summary.ts";
import type { Decimal } from "../../lib/values/decimal.ts";

/** No common tokenizer produces more than one token per two bytes of a text's JSON. */
const MIN_BYTES_PER_TOKEN = 2;

/** An upper bound of the prompt's tokens without counting them: by the size of the body, with media by kind. */
export function promptTokensBound(body: JsonObject, bodyBytes: number): number {
  const media = weighMedia(body);
  return Math.ceil((bodyBytes - media.bytes) / MIN_BYTES_PER_TOKEN) + media.tokens + countTokenIds(body);
}

/** The typical number of tokens for a bound: four bytes per token, where the bound assumes two. */
export const typicalTokens = (promptBound: number): number => promptBound / 2;

/** The quota to hold for a call before it starts, in units: the most it can cost, as far as that is known. */
export function holdFor(
  price: Price,
  summary: RequestSummary,
  promptTokens: number,
  defaultOutputTokens: number,
  quotaPerUnit: Decimal,
  request: Readonly<{ prompt: JsonObject; writesCache: CacheWrites }>,
): number {
  const maxOutputTokens = summary.maxOutputTokens === null ? null : summary.maxOutputTokens * summary.choices;
  const { audioTokens: audioInputTokens } = weighMedia(request.prompt);
  const { writesCache } = request;
  return estimate(
    price,
    { promptTokens, maxOutputTokens, defaultOutputTokens, audioInputTokens, writesCache },
    quotaPerUnit,
  );
}
