import { ok } from "./envelope.ts";
import { integerField, numberOrUndefined } from "./query-fields.ts";

const DEFAULT_PAGE_SIZE = 10;
const LARGEST_PAGE = 100;
const LAST_PAGE = 10_000_000;

/** Query fields of paged lists. Sizes are clamped to 1 to 100, as clients of one-api and new-api expect. */
export const pagingQuery = { p: integerField(), page_size: integerField(), size: integerField() };

type Input = number | "" | undefined;
export type PagingQuery = { p?: Input; page_size?: Input; size?: Input };

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
