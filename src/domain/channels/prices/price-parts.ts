import type { PriceTag } from "../../../../db/schema/models/pricing.ts";

/** A part of a price in addition to what a unit, or a token in and out, costs. */
export type PartName =
  | "cached"
  | "cacheWritten"
  | "cacheWrittenHour"
  | "audioInput"
  | "audioOutput"
  | "imageInput"
  | "imageOutput"
  | "tier"
  | "megapixel"
  | "variant"
  | "serviceTier"
  | "hours";

/** USD of a million tokens (in, and for a step by length also out), of a megapixel, or of a variant's unit. */
export type PartPrice = Readonly<{ usd: number; output?: number }>;

/** A part whose price changed. Null: the price has, or had, no such part. */
export type ChangedPart = Readonly<{
  part: PartName;
  /** Which one, where a price may have several: tokens that the prompt is over, the variant's text, the service tier, or the hours. */
  of: string;
  before: PartPrice | null;
  after: PartPrice | null;
}>;

/** A part as it is compared (its ratios as text) and as it is shown. */
type Part = Readonly<{ part: PartName; of: string; factor: string; price: PartPrice }>;

type CallTag = Extract<PriceTag, { usdPerCall: string }>;
type TokenTag = Extract<PriceTag, { modelRatio: string }>;

const TOKENS = 1_000_000;
/** Parts that a price of another kind cannot have had. */
const ONLY_SOME_HAVE: ReadonlySet<PartName> = new Set([
  ...(["megapixel", "variant", "tier", "imageInput", "imageOutput", "serviceTier", "hours"] as const),
]);

/**
 * Whether a look finds the price that was stored. Rows of earlier releases lack parts that were not recorded then: what is not
 * known has not changed.
 */
export function isSamePrice(stored: PriceTag, present: PriceTag): boolean {
  const known = new Map<string, unknown>(Object.entries(stored));
  return (
    kindOf(stored) === kindOf(present) &&
    Object.entries(present).every(
      ([name, value]) => !known.has(name) || JSON.stringify(sorted(known.get(name))) === JSON.stringify(sorted(value)),
    )
  );
}

const kindOf = (tag: PriceTag) => ("usdPerCall" in tag ? "call" : "modelRatio" in tag ? "tokens" : "use");

/** Whether a unit, or a token in and out, costs the same: only other parts of the price differ. */
export function isSameBase(before: PriceTag, after: PriceTag): boolean {
  const base = (tag: PriceTag) =>
    "usdPerCall" in tag
      ? tag.usdPerCall
      : "modelRatio" in tag
        ? `${tag.modelRatio} ${tag.completionRatio}`
        : tag.usdPerUse;
  return kindOf(before) === kindOf(after) && base(before) === base(after);
}

/** The database keeps members in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

/**
 * The parts of a price that changed apart from what a unit, or a token in and out, costs: what only follows the price of input
 * is left out. `quotaPerUnit`: quota units of a dollar.
 */
export function changedParts(before: PriceTag, after: PriceTag, quotaPerUnit: number): ChangedPart[] {
  const [old, present] = [partsOf(before, quotaPerUnit), partsOf(after, quotaPerUnit)];
  const isOtherKind = kindOf(before) !== kindOf(after);
  const keys = [...new Set([...present.keys(), ...(isOtherKind ? [] : old.keys())])];
  return keys.flatMap((key) => {
    const [was, is] = [isOtherKind ? undefined : old.get(key), present.get(key)];
    const part = is ?? was;
    if (!part || was?.factor === is?.factor) return [];
    const isKnown = isOtherKind ? ONLY_SOME_HAVE.has(part.part) : isRecorded(before, part) && isRecorded(after, part);
    if (!isKnown) return [];
    return [{ part: part.part, of: part.of, before: was?.price ?? null, after: is?.price ?? null }];
  });
}

const MEMBERS = {
  cached: "cacheRatio",
  cacheWritten: "cacheCreationRatio",
  cacheWrittenHour: "longCacheCreationRatio",
  audioInput: "audioRatio",
  audioOutput: "audioCompletionRatio",
  imageInput: "imageRatio",
  imageOutput: "imageCompletionRatio",
  tier: "contextTiers",
  megapixel: "usdPerMegapixel",
  variant: "variants",
  serviceTier: "serviceTiers",
  hours: "hourRules",
} as const satisfies Record<PartName, string>;

const isRecorded = (tag: PriceTag, { part }: Part): boolean => Object.hasOwn(tag, MEMBERS[part]);

function partsOf(tag: PriceTag, quotaPerUnit: number): Map<string, Part> {
  const parts = "usdPerCall" in tag ? partsOfCall(tag) : "modelRatio" in tag ? partsOfTokens(tag, quotaPerUnit) : [];
  return new Map(parts.map((each) => [`${each.part} ${each.of}`, each]));
}

const part = (name: PartName, factor: string, price: PartPrice, of = ""): Part => ({ part: name, of, factor, price });

/** Service tiers and hours: `priceOf` says what their factors make of the price. */
function specialParts(
  { serviceTiers = {}, hourRules = {} }: CallTag | TokenTag,
  priceOf: (factors: Readonly<{ input: string; output: string }>) => PartPrice,
): Part[] {
  const partsOf = (name: PartName, all: typeof serviceTiers) =>
    Object.entries(all).map(([of, factors]) =>
      part(name, `${factors.input} ${factors.output} ${factors.cacheRead}`, priceOf(factors), of),
    );
  return [...partsOf("serviceTier", serviceTiers), ...partsOf("hours", hourRules)];
}

const partsOfCall = (tag: CallTag): Part[] => [
  ...fixedParts(tag),
  ...specialParts(tag, ({ output }) => ({ usd: Number(tag.usdPerCall) * Number(output) })),
];

const fixedParts = ({ usdPerMegapixel, variants = {} }: CallTag): Part[] => [
  ...(usdPerMegapixel ? [part("megapixel", usdPerMegapixel, { usd: Number(usdPerMegapixel) })] : []),
  ...Object.entries(variants).map(([variant, usd]) => part("variant", usd, { usd: Number(usd) }, variant)),
];

function partsOfTokens(tag: TokenTag, quotaPerUnit: number): Part[] {
  const input = (Number(tag.modelRatio) * TOKENS) / quotaPerUnit;
  const output = input * Number(tag.completionRatio);
  /** What costs `ratios`, multiplied, times the input. */
  const ofInput = (name: PartName, ...ratios: readonly (string | null | undefined)[]): Part[] => {
    const own = ratios.at(-1);
    if (own === null || own === undefined) return [];
    return [part(name, ratios.join(" "), { usd: ratios.reduce((usd, ratio) => usd * Number(ratio ?? 1), input) })];
  };
  const { audioRatio, audioCompletionRatio, contextTiers = [] } = tag;
  const isAudioPricedAsText = audioRatio === "1" && audioCompletionRatio === tag.completionRatio;
  return [
    ...ofInput("cached", tag.cacheRatio),
    ...ofInput("cacheWritten", tag.cacheCreationRatio),
    ...ofInput("cacheWrittenHour", tag.longCacheCreationRatio),
    ...ofInput("audioInput", audioRatio),
    ...(isAudioPricedAsText ? [] : ofInput("audioOutput", audioRatio, audioCompletionRatio)),
    ...ofInput("imageInput", tag.imageRatio),
    ...ofInput("imageOutput", tag.imageRatio, tag.imageCompletionRatio),
    ...contextTiers.map((tier) =>
      part("tier", `${tier.input} ${tier.output}`, priceOfTier(tier, input, output), String(tier.over)),
    ),
    ...specialParts(tag, (factors) => priceOfTier(factors, input, output)),
  ];
}

const priceOfTier = (tier: Readonly<{ input: string; output: string }>, input: number, output: number) => ({
  usd: input * Number(tier.input),
  output: output * Number(tier.output),
});
