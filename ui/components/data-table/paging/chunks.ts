/** The rows of a long list that are requested together: the server's maximum page size. */
export const CHUNK_ROWS = 100;
/** As many chunks stay in memory: some screens in both directions. */
const MOST_CHUNKS = 20;
/** The next chunk is requested so many rows before its first one is shown. */
const AHEAD_ROWS = 60;
/** Browsers cut elements off beyond 17 million pixels: a longer list is laid out in overlapping parts of this many rows. */
const PART_ROWS = 100_000;
/** The part moves on when so few rows of it are left. */
const EDGE_ROWS = 2_000;

/** Rows of a list by their position in it, from 0, both inclusive. */
export type RowRange = Readonly<{ first: number; last: number }>;

/** The chunks that the rows in sight, and those just before and after them, belong to. */
export function requiredChunks({ first, last }: RowRange, total: number): number[] {
  if (total <= 0) return [];
  const from = chunkOf(Math.min(Math.max(first - AHEAD_ROWS, 0), total - 1));
  const to = chunkOf(Math.min(Math.max(last, first) + AHEAD_ROWS, total - 1));
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Of the chunks in memory, those to remove: the farthest from the rows in sight. */
export function excessChunks(inMemory: readonly number[], { first, last }: RowRange): number[] {
  const middle = chunkOf((first + last) / 2);
  const nearestFirst = inMemory.toSorted((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
  return nearestFirst.slice(MOST_CHUNKS);
}

/** The chunk of a row. */
const chunkOf = (row: number): number => Math.floor(row / CHUNK_ROWS);

/** How many rows are laid out from `start` on. */
export const partLength = (start: number, total: number): number => Math.max(Math.min(total - start, PART_ROWS), 0);

/** The first row of the part to lay out when these rows are in sight; stays until they come close to an edge. */
export function partStart(start: number, { first, last }: RowRange, total: number): number {
  const end = start + partLength(start, total);
  const isInside = first >= start && last < end;
  const isNearStart = start > 0 && first < start + EDGE_ROWS;
  const isNearEnd = end < total && last >= end - EDGE_ROWS;
  if (isInside && !isNearStart && !isNearEnd) return start;
  const middle = Math.floor((first + last) / 2);
  return Math.max(Math.min(middle - PART_ROWS / 2, total - PART_ROWS), 0);
}
