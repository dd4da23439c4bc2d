import type { Processing } from "../../formats/conversation/reply.ts";
import { type Decimal, decimal, multiply, ONE } from "../../lib/values/decimal.ts";
import type { Price } from "../types.ts";

/** What a service tier, or an hour of the day, multiplies a price by. Cache writes, audio and images follow input and output. */
export type PriceFactors = Readonly<{ input: Decimal; output: Decimal; cacheRead: Decimal }>;

/** The factors of a model's service tiers, by the tier's name: `priority`, `flex`, `batch`, `fast`, `geo:us`. */
export type TierFactors = ReadonlyMap<string, PriceFactors>;

/** The tiers by which a response is charged. */
export type AppliedTiers = PriceFactors &
  Readonly<{
    /** Names, joined by commas. */
    name: string;
    /** The model has no price for one of them: the site's multiplier applies. */
    isGeneral: boolean;
  }>;

/** Multipliers of tiers for which a model has no price. `*`: of any other tier, `geo`: of any region. */
export const DEFAULT_TIER_MULTIPLIERS = {
  priority: 2,
  fast: 2,
  flex: 1,
  batch: 0.5,
  scale: 1,
  provisioned: 1,
  geo: 1.1,
  "*": 2,
} as const;

const GEO = "geo:";
const ALL_OTHERS = decimal(DEFAULT_TIER_MULTIPLIERS["*"]);
const HALF = decimal(DEFAULT_TIER_MULTIPLIERS.batch);

/** Names by which providers say that nothing special was done. */
const STANDARD: ReadonlySet<string> = new Set([
  ...["", "default", "standard", "auto", "standard_only", "on_demand", "unspecified", "none", "not_available"],
  ...["global", "reserved", "traffic_type_unspecified", "service_tier_unspecified"],
]);

const MAX_NAME = 32;

/** A tier's name as prices, logs and receipts have it; null: the standard tier. */
export function tierName(name: string | null | undefined): string | null {
  if (!name) return null;
  const plain = name.trim().toLowerCase();
  if (STANDARD.has(plain)) return null;
  return /^[a-z0-9][a-z0-9_.-]*$/.test(plain) && plain.length <= MAX_NAME ? plain : "other";
}

/** The names of the tiers by which a response is charged; empty: the standard price. */
export function tierNames({ serviceTier, speed, inferenceGeo }: Processing): readonly string[] {
  const [named, pace, geo] = [tierName(serviceTier), tierName(speed), tierName(inferenceGeo)];
  if (named === null && pace === null && geo === null) return NO_TIERS;
  // OpenAI renamed its priority tier to fast; both words are requested and answered.
  const tier = named === "fast" ? "priority" : named;
  const names = [tier, pace, geo === null ? null : `${GEO}${geo}`];
  return [...new Set(names.filter((name) => name !== null))];
}

export const NO_TIERS: readonly string[] = [];

/** Whether the price has factors of its own for the tier. */
export const isTierPriced = ({ serviceTiers }: Price, name: string): boolean => serviceTiers?.has(name) === true;

/** More combinations than providers have: names come from upstreams. */
const MAX_COMBINATIONS = 50;
const byPrice = new WeakMap<Price, Map<string, Price>>();

/** The price of a call that was served in these tiers: the same object for the same tiers, because calls share prices. */
export function inTiers(price: Price, names: readonly string[]): Price {
  if (names.length === 0) return price;
  const name = names.join(", ");
  const known = byPrice.get(price) ?? new Map<string, Price>();
  byPrice.set(price, known);
  const found = known.get(name);
  if (found) return found;
  const factors = names.map((each) => factorsOf(price, each)).reduce(timesFactors);
  const isGeneral = names.some((each) => !isTierPriced(price, each));
  const made: Price = { ...price, appliedTiers: { ...factors, name, isGeneral } };
  if (known.size >= MAX_COMBINATIONS) known.clear();
  known.set(name, made);
  return made;
}

function factorsOf({ serviceTiers, tierMultipliers }: Price, name: string): PriceFactors {
  const own = serviceTiers?.get(name);
  if (own) return own;
  const general = name.startsWith(GEO) ? "geo" : name;
  const factor =
    tierMultipliers?.get(general) ??
    (general === "batch" ? HALF : undefined) ??
    tierMultipliers?.get("*") ??
    ALL_OTHERS;
  return { input: factor, output: factor, cacheRead: factor };
}

const timesFactors = (a: PriceFactors, b: PriceFactors): PriceFactors => ({
  input: multiply(a.input, b.input),
  output: multiply(a.output, b.output),
  cacheRead: multiply(a.cacheRead, b.cacheRead),
});

const NO_FACTORS: PriceFactors = { input: ONE, output: ONE, cacheRead: ONE };

/** What a price is multiplied by: the hours at which the call began, and the tiers that served it. */
export function appliedFactors({ hours, appliedTiers }: Price): PriceFactors {
  if (hours && appliedTiers) return timesFactors(hours, appliedTiers);
  return hours ?? appliedTiers ?? NO_FACTORS;
}
