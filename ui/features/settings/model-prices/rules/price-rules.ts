import { isListOf, isNumber, isOptional, isShape, isText, readRecord } from "../../../../lib/json.ts";

/** A price tier of a model: factors for prompts of more than `over` tokens. */
export type TierRow = Readonly<{ model: string; over: number; input: number; output: number }>;

/** A discount of a group; moments are ISO 8601. */
export type DiscountRow = Readonly<{ group: string; percent: number; from: string; until: string }>;

const isTiers = isListOf(
  isShape<{ over: number; input?: number; output?: number }>({
    over: isNumber,
    input: isOptional(isNumber),
    output: isOptional(isNumber),
  }),
);

const isDiscounts = isListOf(isShape<DiscountRow>({ group: isText, percent: isNumber, from: isText, until: isText }));

/** Parses the price tiers of all models; null if the text is invalid. */
export function readTiers(text: string): TierRow[] | null {
  const value = readRecord(text);
  if (!value) return null;
  const rows: TierRow[] = [];
  for (const [model, tiers] of Object.entries(value)) {
    if (!isTiers(tiers)) return null;
    for (const { over, input = 1, output = 1 } of tiers) rows.push({ model, over, input, output });
  }
  return rows;
}

/** Formats the rows as the option's text. */
export function tiersText(rows: readonly TierRow[]): string {
  const byModel = Map.groupBy(rows, ({ model }) => model);
  const tiers = [...byModel].map(([model, own]) => [
    model,
    own.map(({ over, input, output }) => ({ over, input, output })).toSorted((a, b) => a.over - b.over),
  ]);
  return JSON.stringify(Object.fromEntries(tiers), null, 2);
}

/** Parses the discounts; null if the text is invalid. */
export function readDiscounts(text: string): DiscountRow[] | null {
  const value = parse(text);
  return isDiscounts(value) ? value : null;
}

export const discountsText = (rows: readonly DiscountRow[]): string => JSON.stringify(rows, null, 2);

/** Converts a moment to the value of a datetime-local field, in the browser's zone. */
export function localText(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Parses the value of a datetime-local field; null if empty or invalid. */
export function isoText(local: string): string | null {
  const date = new Date(local);
  return local === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
