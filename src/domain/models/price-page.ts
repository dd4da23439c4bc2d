import type { PriceBook, PricedModel } from "../channels/prices/list-prices.ts";
import { isMeant, makerOf, type PriceFilters } from "./model-name-rules.ts";

/** A page (counted from 0) of the models of a price list that are meant, by name, and how many there are. */
export function pricePage(
  { names, groupsOf, priceOf }: PriceBook,
  filters: PriceFilters,
  { page, pageSize }: Readonly<{ page: number; pageSize: number }>,
): { items: PricedModel[]; total: number } {
  const found = names().filter((name) => isMeant(name, groupsOf(name), filters));
  return { items: found.slice(page * pageSize, (page + 1) * pageSize).map(priceOf), total: found.length };
}

/** The makers of these models, by name. */
export const makersOf = (names: readonly string[]): string[] =>
  [...new Set(names.map(makerOf))].filter((maker) => maker !== "").toSorted((a, b) => a.localeCompare(b));
