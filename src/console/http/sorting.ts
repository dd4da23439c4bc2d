import { type TSchema, t } from "elysia";
import type { Sorting, Sorts } from "../../lib/values/sorting.ts";
import { type PagingQuery, paged } from "./paging.ts";

/** Query fields of lists that callers sort: `sort` names what by, `order` is `asc` or `desc`, the usual. */
export const sortingQuery = <Name extends string>(sorts: Sorts<Name>) => ({
  // A text to the compiler: what callers name comes from an address, and is checked here.
  sort: t.Optional<TSchema & { static: string }>(
    t.Union([t.Literal(""), ...namesOf(sorts).map((name) => t.Literal(name))]),
  ),
  order: t.Optional(t.String({ maxLength: 40 })),
});

type SortingQuery = Readonly<{ sort?: string; order?: string }>;

/** Tools of the ecosystem name in `order` what to sort by; an order that is none of these changes nothing. */
export function readSorting<Name extends string>(sorts: Sorts<Name>, { sort, order }: SortingQuery): Sorting<Name> {
  const by = namesOf(sorts).find((name) => name === (sort || order));
  return { ...(by && { sort: by }), descending: order !== "asc" };
}

/** Responds with one page of a sorted list, counted from 1, and the total. */
export const pagedSorted = <Name extends string, Row>(
  sorts: Sorts<Name>,
  query: PagingQuery & SortingQuery,
  read: (page: { page: number; pageSize: number } & Sorting<Name>) => Promise<{ items: Row[]; total: number }>,
) => paged(query, (page) => read({ ...page, ...readSorting(sorts, query) }));

const namesOf = <Name extends string>(sorts: Sorts<Name>): Name[] => Object.keys(sorts) as Name[];
