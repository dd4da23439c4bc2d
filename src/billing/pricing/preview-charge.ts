import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import type { Decimal } from "../../lib/values/decimal.ts";
import type { Price, Receipt } from "../types.ts";
import { charge, estimate } from "./charge.ts";
import type { PriceTable } from "./price-table.ts";
import { resolvePrice } from "./resolve-price.ts";
import { inTiers, tierNames } from "./service-tiers.ts";

type Imagined = Readonly<{
  model: string;
  group: string;
  usage: Partial<Usage>;
  /** The service tier that the response names. */
  tier?: string | undefined;
}>;

export type ChargePreview = Readonly<{
  kind: Price["kind"];
  /** The model has no price of its own: this is what it costs those who accept that. */
  isUnset: boolean;
  /** Whole quota units. */
  quota: number;
  /** What would be held before such a call, its output as the client's limit: quota units. */
  held: number;
  receipt: Receipt;
}>;

/** What a call with this usage would cost now, by the very functions that charge calls. */
export function previewCharge(table: PriceTable, quotaPerUnit: Decimal, imagined: Imagined): ChargePreview | null {
  const { model, group } = imagined;
  const usage = { ...NO_USAGE, ...imagined.usage };
  const query = { requestedModel: model, upstreamModel: model, group };
  const own = resolvePrice(table, { ...query, acceptUnset: false });
  const standard = own ?? resolvePrice(table, { ...query, acceptUnset: true });
  if (!standard) return null;
  const tier = imagined.tier?.trim().toLowerCase() ?? "";
  const region = /^geo:(.+)$/.exec(tier)?.[1];
  // As a speed each tier has its own name: as a service tier, "fast" is OpenAI's word for priority.
  const named = region ? { inferenceGeo: region } : { speed: tier };
  const price = inTiers(standard, tierNames(named));
  const expected: Parameters<typeof estimate>[1] = {
    promptTokens: usage.promptTokens,
    maxOutputTokens: usage.completionTokens,
    defaultOutputTokens: 0,
    audioInputTokens: usage.audioInputTokens,
    writesCache: usage.longCacheCreationTokens ? "long" : usage.cacheCreationTokens > 0 ? "short" : "none",
  };
  return {
    kind: price.kind,
    isUnset: own === null,
    held: estimate(price, expected, quotaPerUnit),
    ...charge(price, usage, quotaPerUnit),
  };
}
