import type { Decimal } from "../../../lib/values/decimal.ts";

/** What a second costs when an order asks for all of this: field → the values that count. */
export type PriceVariant = Readonly<{
  /** As it was written: `mode=pro,sound=on`. */
  text: string;
  conditions: readonly (readonly [field: string, values: readonly string[]])[];
  usd: Decimal;
}>;

/** What an order asks for, by the provider's names of fields, in lower case. */
export type RequestedVariant = Readonly<Record<string, string>>;

/** The variant that an order falls under: of those whose conditions all hold, one with the most; undefined: none. */
export function variantOf(
  variants: readonly PriceVariant[] = [],
  requested: RequestedVariant,
): PriceVariant | undefined {
  const fits = variants.filter(({ conditions }) =>
    conditions.every(([field, values]) => Object.hasOwn(requested, field) && values.includes(requested[field] ?? "")),
  );
  return fits.reduce<PriceVariant | undefined>(
    (best, variant) => (best && best.conditions.length >= variant.conditions.length ? best : variant),
    undefined,
  );
}

/** Reads `mode=pro,size=1024x1792|1792x1024`; undefined: it is none. */
export function readConditions(text: string): PriceVariant["conditions"] | undefined {
  const conditions = text.split(",").map((part) => {
    const [field = "", values = "", ...others] = part.split("=").map((side) => side.trim());
    const each = values.split("|").map((value) => value.trim().toLowerCase());
    return { field, each, isValid: field !== "" && others.length === 0 && each.every((value) => value !== "") };
  });
  const fields = new Set(conditions.map(({ field }) => field));
  if (fields.size < conditions.length || conditions.some(({ isValid }) => !isValid)) return undefined;
  return conditions.map(({ field, each }) => [field, each]);
}
