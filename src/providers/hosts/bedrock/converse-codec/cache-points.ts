import type { Dropped } from "../../../../formats/conversation/codec.ts";
import { CACHE_CONTROL } from "../../../../formats/helpers/cache-marks.ts";
import type { JsonObject } from "../../../../formats/json.ts";

/**
 * Writes cache points, which follow what they mark. Source:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export type CachePoints = Readonly<{
  /** After a block of instructions or of a message. */
  after(mark: JsonObject | null | undefined): JsonObject[];
  /** After a tool; records it where the model caches no tools. */
  afterTool(mark: JsonObject | undefined, dropped: Dropped): JsonObject[];
}>;

export const NO_POINTS: CachePoints = { after: () => [], afterTool: () => [] };

/** Claude's models before 3.5 Haiku and 3.7 Sonnet cache nothing here. */
const UNCACHED_CLAUDE = /claude-(instant|v?2|3-(opus|sonnet|haiku)|3-5-sonnet-20240620)/;
/** Models that know the lifetime of five minutes only. */
const SHORT_ONLY = /claude-(3|opus-4-(2025|1)|sonnet-4-2025)|nova/;

/** The cache points of a model; null: it has none, and rejects them. */
export function cachePoints(model: string): CachePoints | null {
  const isClaude = /claude/.test(model) && !UNCACHED_CLAUDE.test(model);
  if (!isClaude && !/\bnova-(micro|lite|pro|premier|2)/.test(model)) return null;
  const isLong = (mark: JsonObject) => mark.ttl === "1h" && !SHORT_ONLY.test(model);
  const after = (mark: JsonObject | null | undefined): JsonObject[] =>
    mark ? [{ cachePoint: { type: "default", ...(isLong(mark) && { ttl: "1h" }) } }] : [];
  return {
    after,
    afterTool(mark, dropped) {
      if (isClaude || !mark) return after(mark);
      dropped.add(CACHE_CONTROL);
      return [];
    },
  };
}
