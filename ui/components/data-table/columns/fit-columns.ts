/** A column's widths in pixels. */
export type ColumnFit = Readonly<{
  id: string;
  /** What it gets when there is no room to share. */
  size: number;
  /** What its longest text takes; a column without it keeps its size. */
  need?: number | undefined;
  /** What the reader chose. */
  chosen?: number | undefined;
}>;

/** Narrower, a name can't be recognized. */
const NARROWEST_PX = 48;

/**
 * The widths of columns in a table with so much room: texts that need less than their column's size leave the rest to
 * those that need more. `least`: what the table needs without cutting more than the sizes do.
 */
export function fitColumns(
  columns: readonly ColumnFit[],
  room: number,
): Readonly<{ widths: ReadonlyMap<string, number>; least: number }> {
  const bases = columns.map(({ id, size, need, chosen }) => {
    if (chosen !== undefined) return { id, base: Math.max(chosen, NARROWEST_PX), want: 0 };
    if (need === undefined) return { id, base: size, want: 0 };
    const base = Math.max(Math.min(size, need), NARROWEST_PX);
    return { id, base, want: Math.max(0, need - base) };
  });
  const least = bases.reduce((sum, { base }) => sum + base, 0);
  const missing = bases.reduce((sum, { want }) => sum + want, 0);
  const share = missing === 0 ? 0 : Math.min(1, Math.max(0, room - least) / missing);
  return { widths: new Map(bases.map(({ id, base, want }) => [id, Math.floor(base + want * share)])), least };
}
