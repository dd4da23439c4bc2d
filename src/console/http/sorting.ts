import { type TSchema, t } from "elysia";
import type { Sorting, Sorts } from "../../lib/values/sorting.ts";
import { type PagingQuery, paged } from "./paging.ts";

/** Query fields of sortable lists: `sort` names the column, `order` is `asc` or `desc` (the default). */
export const sortingQuery = <Name extends string>(sorts: Sorts<Name>) => ({
  // Typed as string: the value comes from the address and is checked below.
  sort: t.Optional<TSchema & { static: string }>(
    t.Union([t.Literal(""), ...namesOf(sorts).map((name) => t.Literal(name))]),
  ),
  order: t.Optional(t.String({ maxLength: 40 })),
});

type SortingQuery = Readonly<{ sort?: string; order?: string }>;

/** Some clients put the column to sort by into `order`; values other than `asc` and `desc` are ignored. */
export function readSorting<Name extends string>(sorts: Sorts<Name>, { sort, order }: SortingQuery): Sorting<Name> {
  const by = namesOf(sorts).find((name) => name === (sort || order));
  return { ...(by && { sort: by }), descending: order !== "asc" };
}

/** Responds with one page of a sorted list and the total; callers count pages from 1. */
export const pagedSorted = <Name extends string, Row>(
  sorts: Sorts<Name>,
  query: PagingQuery & SortingQuery,
  read: (page: { page: number; pageSize: number } & Sorting<Name>) => Promise<{ items: Row[]; total: number }>,
) => paged(query, (page) => read({ ...page, ...readSorting(sorts, query) }));

const namesOf = <Name extends string>(sorts: Sorts<Name>): Name[] => Object.keys(sorts) as Name[];
