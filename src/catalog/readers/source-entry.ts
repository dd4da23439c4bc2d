import { FieldError } from "../../lib/field-readers.ts";
import {
  type CatalogDocument,
  type CatalogEntry,
  type CatalogPrice,
  isModelName,
  isPrice,
  isTokenCount,
  MODALITIES,
  readEntries,
} from "../entry.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The value as an object; null: it is none. */
export const recordAt = (value: unknown): Json | null => (isRecord(value) ? value : null);

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of a list. */
export const recordsAt = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const textAt = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const flagAt = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

/** A number of tokens. Sources write 0 for what they don't know. */
export const tokensAt = (value: unknown): number | undefined => (isTokenCount(value) && value > 0 ? value : undefined);

/** Kinds of content; undefined: the source names none. PDFs are files. */
export function modalitiesAt(value: unknown): CatalogEntry["input_modalities"] {
  if (!Array.isArray(value)) return undefined;
  const names = value.map((name) => (name === "pdf" ? "file" : name));
  const known = MODALITIES.filter((modality) => names.includes(modality));
  return known.length > 0 ? known : undefined;
}

/** Without the digits that only come from computing with binary fractions. */
export const money = (amount: number): number => Number(amount.toPrecision(12));

/** A price of tokens. Free models have none here, as their price is a promotion or a plan of the source's. */
export function tokenPrice(price: CatalogPrice): CatalogPrice | undefined {
  const known = definedOf(price);
  const { input, output } = known;
  return isPrice(input) && isPrice(output) && input + output > 0 ? known : undefined;
}

/** The object without the members that are undefined. */
export function definedOf<T extends object>(value: T): T {
  const copy = { ...value };
  for (const name in copy) if (copy[name] === undefined) delete copy[name];
  return copy;
}

/**
 * A document of the entries that a source has; the first of a name wins. Throws FieldError naming the source if it has none:
 * then its shape is another.
 */
export function documentOf(
  source: string,
  page: string,
  found: readonly (readonly [name: string, entry: CatalogEntry])[],
): CatalogDocument {
  const models = new Map<string, CatalogEntry>();
  for (const [name, entry] of found) {
    if (isModelName(name) && !name.includes("*") && !models.has(name)) models.set(name, definedOf(entry));
  }
  if (models.size === 0) throw new FieldError(source, "the list of models that this source publishes");
  return {
    format: 1,
    sources: { [source]: { provider: source, pages: [page] } },
    models: readEntries(Object.fromEntries(models), source),
  };
}
