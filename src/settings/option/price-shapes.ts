import {
  hoursText,
  isTimeZone,
  MINUTES_OF_DAY,
  type PriceHours,
  readMinutes,
  WEEKDAYS,
  type Weekday,
} from "../../billing/pricing/price-hours.ts";
import {
  type ContextTier,
  type GroupDiscount,
  type PriceVariant,
  readConditions,
} from "../../billing/pricing/price-rules.ts";
import { type PriceFactors, type TierFactors, tierName } from "../../billing/pricing/service-tiers.ts";

import { decimal, isNegative, subtract } from "../../lib/values/decimal.ts";
import { ratioShape, type Shape } from "./json-option.ts";

const MOST_TIERS = 10;
const ALL = decimal(100);

/** Steps of a model's price; read in ascending order. */
export const contextTiersShape: Shape<readonly ContextTier[]> = {
  name: { code: "shape_context_tiers" },
  read(value) {
    if (!Array.isArray(value) || value.length > MOST_TIERS) return undefined;
    const tiers: ContextTier[] = [];
    for (const entry of value) {
      const { over, input = 1, output = 1, ...others } = (entry ?? {}) as Record<string, unknown>;
      const factors = [ratioShape.read(input), ratioShape.read(output)];
      if (!Number.isSafeInteger(over) || Number(over) < 1 || !factors[0] || !factors[1]) return undefined;
      if (Object.keys(others).length > 0 || tiers.some((tier) => tier.over === over)) return undefined;
      tiers.push({ over: Number(over), input: factors[0], output: factors[1] });
    }
    return tiers.toSorted((a, b) => a.over - b.over);
  },
};

const MOST_SERVICE_TIERS = 20;
const MOST_HOURS = 20;
const TIER_NAME = /^(geo:)?[a-z0-9][a-z0-9_.-]{0,31}$/;

/** Factors of input and output, each 1 if it is not stated, and of cached input, else input's; undefined: other members or no factors. */
function readFactors(value: Readonly<Record<string, unknown>>): PriceFactors | undefined {
  const { input = 1, output = 1, cache_read = input, ...others } = value;
  const [ofInput, ofOutput, ofCache] = [ratioShape.read(input), ratioShape.read(output), ratioShape.read(cache_read)];
  if (!ofInput || !ofOutput || !ofCache || Object.keys(others).length > 0) return undefined;
  return { input: ofInput, output: ofOutput, cacheRead: ofCache };
}

const membersOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;

/** What the service tiers of a model multiply its price by. The standard tier has none: it is the price. */
export const serviceTiersShape: Shape<TierFactors> = {
  name: { code: "shape_service_tiers" },
  read(value) {
    const tiers = new Map<string, PriceFactors>();
    const entries = Object.entries(membersOf(value) ?? { "": null });
    if (entries.length > MOST_SERVICE_TIERS) return undefined;
    for (const [name, factors] of entries) {
      const members = membersOf(factors);
      const read = members && readFactors(members);
      if (!read || !TIER_NAME.test(name) || tierName(name.replace(/^geo:/, "")) === null) return undefined;
      tiers.set(name, read);
    }
    return tiers;
  },
};

/** Hours of some days at which a model's price is multiplied; of several the first counts. */
export const priceHoursShape: Shape<readonly PriceHours[]> = {
  name: { code: "shape_price_hours" },
  read(value) {
    if (!Array.isArray(value) || value.length > MOST_HOURS) return undefined;
    const rules: PriceHours[] = [];
    for (const entry of value) {
      const { days: named, from: begin, until: end, zone, ...others } = membersOf(entry) ?? {};
      const factors = readFactors(others);
      const days = named === undefined ? null : readDays(named);
      const [from, until] = [readMinutes(begin), readMinutes(end)];
      if (!factors || days === undefined || from === null || until === null) return undefined;
      if (from === MINUTES_OF_DAY || from === until) return undefined;
      if (typeof zone !== "string" || !isTimeZone(zone)) return undefined;
      const hours = { days, from, until, zone };
      rules.push({ ...factors, ...hours, text: hoursText(hours) });
    }
    return rules;
  },
};

function readDays(value: unknown): ReadonlySet<Weekday> | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const days = value.map((name) => WEEKDAYS.find((day) => day === name));
  const known = days.filter((day) => day !== undefined);
  return known.length === days.length && new Set(known).size === known.length ? new Set(known) : undefined;
}

/** Variants of a model's price by what an order asks for. */
export const priceVariantsShape: Shape<readonly PriceVariant[]> = {
  name: { code: "shape_price_variants" },
  read(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const variants: PriceVariant[] = [];
    for (const [text, variantPrice] of Object.entries(value)) {
      const conditions = readConditions(text);
      const usd = ratioShape.read(variantPrice);
      if (!conditions || !usd) return undefined;
      variants.push({ text, conditions, usd });
    }
    return variants;
  },
};

/** Discounts of groups; times are ISO 8601 with a zone, `until` is the end. */
export const groupDiscountsShape: Shape<readonly GroupDiscount[]> = {
  name: { code: "shape_group_discounts" },
  read(value) {
    if (!Array.isArray(value)) return undefined;
    const discounts: GroupDiscount[] = [];
    for (const entry of value) {
      const { group, percent: percentInput, from: begin, until: end } = (entry ?? {}) as Record<string, unknown>;
      const percent = ratioShape.read(percentInput);
      const [from, until] = [secondsOf(begin), secondsOf(end)];
      if (typeof group !== "string" || group === "" || !percent || isNegative(subtract(ALL, percent))) return undefined;
      if (from === null || until === null || from >= until) return undefined;
      discounts.push({ group, percent, from, until });
    }
    return discounts;
  },
};

/** A moment with its zone, in epoch seconds. */
function secondsOf(value: unknown): number | null {
  if (typeof value !== "string" || !/(Z|[+-]\d\d:\d\d)$/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000);
}
