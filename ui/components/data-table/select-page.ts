import type { RowId } from "./column.ts";

/** The ticks after the box in the head was pressed: those of this page all or none, those of other pages as they were. */
export function selectPage(selected: ReadonlySet<RowId>, page: readonly RowId[]): ReadonlySet<RowId> {
  const all = new Set(selected);
  const untick = page.every((id) => selected.has(id));
  for (const id of page) {
    if (untick) all.delete(id);
    else all.add(id);
  }
  return all;
}
