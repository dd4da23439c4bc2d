import { type TSchema, t } from "elysia";
import { LARGEST_ID } from "../../lib/http/integers.ts";
import type { Sorting, Sorts } from "../../lib/values/sorting.ts";
import { ok } from "./envelope.ts";
import { integer } from "./integers.ts";

/** Clients of one-api and new-api send unset filters as empty text. */
const EMPTY = t.Literal("");
/** The year 9999, the last one that dates can represent. */
const LAST_SECOND = 253_402_300_799;

/** An optional integer in a query; empty text means none. */
export const integerField = (maximum = LARGEST_ID) =>
  t.Optional(t.Union([integer({ minimum: -maximum, maximum }), EMPTY]));

/** An optional time in a query, in epoch seconds with or without a fraction; empty text means none. */
export const timestamp = () => t.Optional(t.Union([t.Number({ minimum: 0, maximum: LAST_SECOND }), EMPTY]));

/** The number if the query has one (0 included), else undefined. */
export const numberOrUndefined = (value: number | "" | undefined): number | undefined =>
  value === "" ? undefined : value;

const DEFAULT_PAGE_SIZE = 10;
const LARGEST_PAGE = 100;
const LAST_PAGE = 10_000_000;

/** Query fields of paged lists. Sizes are clamped to 1 to 100, as clients of one-api and new-api expect. */
export const pagingQuery = { p: integerField(), page_size: integerField(), size: integerField() };

type Input = number | "" | undefined;
type PagingQuery = { p?: Input; page_size?: Input; size?: Input };

/**
 * Parses a page query. `first` is the number that callers use for the first page; the result counts from 0. `defaultSize`
 * is the number of rows when the caller sends none.
 */
export function readPaging(
  query: PagingQuery,
  first: 0 | 1,
  defaultSize = DEFAULT_PAGE_SIZE,
): { page: number; pageSize: number } {
  const input = numberOrUndefined(query.page_size) ?? numberOrUndefined(query.size) ?? defaultSize;
  const pageSize = Math.min(input < 1 ? DEFAULT_PAGE_SIZE : input, LARGEST_PAGE);
  const page = Math.max((numberOrUndefined(query.p) ?? first) - first, 0);
  return { page: Math.min(page, LAST_PAGE), pageSize };
}

type Read<T> = (page: { page: number; pageSize: number }) => Promise<{ items: T[]; total: number }>;

/** Responds with one page of a list and the total; callers count pages from 1. */
export async function paged<T>(query: PagingQuery, read: Read<T>) {
  const { page, pageSize } = readPaging(query, 1);
  const { items, total } = await read({ page, pageSize });
  return ok({ items, total, page: page + 1, page_size: pageSize });
}

/** Like `paged`, for lists whose pages callers count from 0: `data` is the array of rows. */
export async function pagedRows<T>(query: PagingQuery, read: Read<T>, defaultSize?: number) {
  const { page, pageSize } = readPaging(query, 0, defaultSize);
  const { items, total } = await read({ page, pageSize });
  return { ...ok(items), total, page, page_size: pageSize };
}

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
