import { isListOf, isNumber, isOptional, isRecord, isShape, isText, readRecord } from "../../../../lib/json.ts";

/** Factors of a price; cached input follows input where it has none of its own. */
export type Factors = Readonly<{ input: number; output: number; cached: number | null }>;

/** A service tier of a model. */
export type ServiceTierRow = Factors & Readonly<{ model: string; tier: string }>;

/** Hours of a model; times are `HH:MM`, no days means every day. */
export type HoursRow = Factors &
  Readonly<{ model: string; days: readonly string[]; from: string; until: string; zone: string }>;

/** Names of tiers that providers have; others may be typed. */
export const KNOWN_TIERS = ["priority", "flex", "batch", "fast", "geo:us", "scale"] as const;

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** What a tier may be called: as the response names it, regions with `geo:` in front. */
export const isTierName = (name: string): boolean => /^(geo:)?[a-z0-9][a-z0-9_.-]{0,31}$/.test(name);

const FACTORS = { input: isOptional(isNumber), output: isOptional(isNumber), cache_read: isOptional(isNumber) };
type StoredFactors = { input?: number; output?: number; cache_read?: number };
type StoredHours = StoredFactors & { days?: string[]; from: string; until: string; zone: string };

const isFactors = isShape<StoredFactors>(FACTORS);
const isHours = isListOf(
  isShape<StoredHours>({ ...FACTORS, days: isOptional(isListOf(isText)), from: isText, until: isText, zone: isText }),
);

const read = ({ input = 1, output = 1, cache_read }: StoredFactors): Factors => ({
  input,
  output,
  cached: cache_read ?? null,
});

const stored = ({ input, output, cached }: Factors): StoredFactors => ({
  input,
  output,
  ...(cached !== null && cached !== input && { cache_read: cached }),
});

/** Parses the service tiers of all models; null if the text is invalid. */
export function readServiceTiers(text: string): ServiceTierRow[] | null {
  const value = readRecord(text);
  if (!value) return null;
  const rows: ServiceTierRow[] = [];
  for (const [model, tiers] of Object.entries(value)) {
    if (!isRecord(tiers)) return null;
    for (const [tier, factors] of Object.entries(tiers)) {
      if (!isFactors(factors)) return null;
      rows.push({ model, tier, ...read(factors) });
    }
  }
  return rows;
}

/** Formats the rows as the option's text. */
export const serviceTiersText = (rows: readonly ServiceTierRow[]): string =>
  grouped(rows, (own) => Object.fromEntries(own.map((row) => [row.tier, stored(row)])));

/** Parses the hours of all models; null if the text is invalid. */
export function readHours(text: string): HoursRow[] | null {
  const value = readRecord(text);
  if (!value) return null;
  const rows: HoursRow[] = [];
  for (const [model, hours] of Object.entries(value)) {
    if (!isHours(hours)) return null;
    for (const { days = [], from, until, zone, ...factors } of hours)
      rows.push({ model, days, from, until, zone, ...read(factors) });
  }
  return rows;
}

/** Formats the rows as the option's text; hours of a model keep their order, because the first that fit apply. */
export const hoursText = (rows: readonly HoursRow[]): string =>
  grouped(rows, (own) =>
    own.map(({ days, from, until, zone, ...factors }) => ({
      ...(days.length > 0 && days.length < DAYS.length && { days: DAYS.filter((day) => days.includes(day)) }),
      ...{ from, until, zone },
      ...stored(factors),
    })),
  );

const grouped = <R extends Readonly<{ model: string }>>(rows: readonly R[], toValue: (own: readonly R[]) => unknown) =>
  JSON.stringify(
    Object.fromEntries([...Map.groupBy(rows, ({ model }) => model)].map(([model, own]) => [model, toValue(own)])),
    null,
    2,
  );

/** The rows of models whose name contains the search text. */
export const rowsFor = <R extends Readonly<{ model: string }>>(rows: readonly R[], typed: string): readonly R[] =>
  rows.filter((row) => row.model.toLowerCase().includes(typed.trim().toLowerCase()));
