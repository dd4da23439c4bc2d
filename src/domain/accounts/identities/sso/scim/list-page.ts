import type { Attributes } from "./attribute.ts";
import { type Filter, matches } from "./filter.ts";
import { LIST_SCHEMA } from "./resources.ts";

/** The query of a list (RFC 7644, 3.4.2); numbers as texts. */
export type ListQuery = Readonly<{
  filter?: string | undefined;
  startIndex?: string | undefined;
  count?: string | undefined;
}>;

export const MOST_RESULTS = 200;

/** One page of the resources that fit; counts from 1, and what is too small or no number counts as the default. */
export function listPage(resources: readonly Attributes[], filter: Filter | null, query: ListQuery) {
  const found = filter ? resources.filter((resource) => matches(filter, resource)) : resources;
  const start = Math.max(1, numberOf(query.startIndex, 1));
  const count = Math.min(MOST_RESULTS, Math.max(0, numberOf(query.count, MOST_RESULTS)));
  const page = found.slice(start - 1, start - 1 + count);
  return {
    schemas: [LIST_SCHEMA],
    totalResults: found.length,
    startIndex: start,
    itemsPerPage: page.length,
    Resources: page,
  };
}

function numberOf(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
