import type { RowSelectionState } from "@tanstack/react-table";
import type { ReactNode } from "react";

export type RowId = string | number;

/** A column of a table; on a phone, a line of a card. */
export type Column<Row> = Readonly<{
  key: string;
  head: string;
  /** Pixels; without it, the column shares the remaining width. */
  width?: number;
  /** The cell's text, if it is text: the column grows to fit it as far as space allows. */
  text?: (row: Row) => string;
  align?: "left" | "right";
  /** The server's name for it, if the server can sort by it. */
  sortKey?: string;
  cell: (row: Row) => ReactNode;
  /** Footer below the rows, such as a sum. */
  foot?: ReactNode;
  /** Can't be hidden; the title of a card. */
  isTitle?: boolean;
  isHiddenByDefault?: boolean;
  /** Holds chips or controls, which an ellipsis would cut off. */
  isSolid?: boolean;
}>;

/** `key` is the `sortKey` of a column. */
export type Sort = Readonly<{ key: string; isDescending: boolean }>;

export type Paging = Readonly<{
  /** Zero-based. */
  page: number;
  pageSize: number;
  total: number;
  /** What the rows are: "channels". */
  unit: string;
  onPage: (page: number) => void;
  onPageSize: (pageSize: number) => void;
  /** For lists that can be scrolled without pages. */
  scroll?: Readonly<{ isOn: boolean; onChoose: () => void }> | undefined;
}>;

/** Row id → true for each selected row. */
export type Selected = RowSelectionState;
export type Selection = Readonly<{ selected: Selected; onChange: (selected: Selected) => void }>;

/** The selection of the rows with these ids. */
export const selectRows = (ids: Iterable<RowId>): Selected =>
  Object.fromEntries([...ids].map((id) => [String(id), true]));

/** The ids of the selected rows on all pages. */
export const selectedIds = (selected: Selected): string[] => Object.keys(selected);

/** An item of a row's action menu. */
export type RowAction = Readonly<{
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  isDisabled?: boolean;
}>;
