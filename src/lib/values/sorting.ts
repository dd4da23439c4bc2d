import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** What a list may be sorted by: callers' name for it → the column. */
export type Sorts<Name extends string> = Readonly<Record<Name, SQLWrapper>>;

/** By what a list is sorted; without `sort`: newest first. */
export type Sorting<Name extends string> = Readonly<{ sort?: Name; descending?: boolean }>;

/**
 * The order of a list's rows. Rows of the same value stand newest first, so that no row is on two pages; what is not set
 * counts as less than anything.
 */
export function orderBy<Name extends string>(
  sorts: Sorts<Name>,
  id: SQLWrapper,
  { sort, descending = true }: Sorting<Name>,
): SQL[] {
  const newestFirst = sql`${id} desc`;
  if (!sort) return [newestFirst];
  const column = sorts[sort];
  if (column === id) return [descending ? newestFirst : sql`${id} asc`];
  return [descending ? sql`${column} desc nulls last` : sql`${column} asc nulls first`, newestFirst];
}
