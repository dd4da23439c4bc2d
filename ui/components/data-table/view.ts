import type { ReactNode } from "react";
import type { Column, RowAction, RowId, Selection, Sort } from "./column.ts";

/** What both forms of a table, rows and cards, are given. */
export type ViewProps<Row> = Readonly<{
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  rowId: (row: Row) => RowId;
  /** How a row is called in labels that are read aloud. */
  rowName: (row: Row) => string;
  isLoading: boolean;
  isCompact: boolean;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
  selection?: Selection | undefined;
  toggleSelected: (id: RowId) => void;
  /** What a card says at first sight; its columns then unfold. Without it a card shows all columns. */
  card?: ((row: Row) => ReactNode) | undefined;
  /** Below an opened row. */
  detail?: ((row: Row) => ReactNode) | undefined;
  openId: RowId | null;
  toggleDetail: (id: RowId) => void;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  /** A click on the row. */
  onOpen?: ((row: Row) => void) | undefined;
  isDim?: ((row: Row) => boolean) | undefined;
  focusedId: RowId | null;
}>;
