import { t } from "elysia";

const DEFAULT_PAGE_SIZE = 10;
const LARGEST_PAGE = 100;

/** Query fields of paged lists. Sizes outside 1 to 100 are brought inside, as the ecosystem's tools expect. */
export const pagingQuery = {
  p: t.Optional(t.Numeric()),
  page_size: t.Optional(t.Numeric()),
  size: t.Optional(t.Numeric()),
};

type PagingQuery = { p?: number | undefined; page_size?: number | undefined; size?: number | undefined };

/** `first` is the number by which callers mean the first page; the result counts from 0. */
export function readPaging(query: PagingQuery, first: 0 | 1): { page: number; pageSize: number } {
  const given = Math.trunc(query.page_size ?? query.size ?? DEFAULT_PAGE_SIZE);
  const pageSize = Math.min(given < 1 ? DEFAULT_PAGE_SIZE : given, LARGEST_PAGE);
  const page = Math.max(Math.trunc(query.p ?? first) - first, 0);
  return { page: Math.min(page, 10_000_000), pageSize };
}
