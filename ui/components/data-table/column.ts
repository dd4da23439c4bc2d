import type { RowSelectionState } from "@tanstack/react-table";
import type { ReactNode } from "react";

export type RowId = string | number;

/** A column of a table; on a phone, a line of a card. */
export type Column<Row> = Readonly<{
  key: string;
  head: string;
  /** Pixels; without it the column shares what is left. */
  width?: number;
  align?: "left" | "right";
  /** What the server calls it where it can sort by it. */
  sortKey?: string;
  cell: (row: Row) => ReactNode;
  /** Under the rows: a sum. */
  foot?: ReactNode;
  /** Cannot be hidden; the heading of a card. */
  isTitle?: boolean;
  isHiddenByDefault?: boolean;
  /** Holds chips or controls, which an ellipsis would cut. */
  isSolid?: boolean;
}>;

/** `key` is the `sortKey` of a column. */
export type Sort = Readonly<{ key: string; isDescending: boolean }>;

export type Paging = Readonly<{
  /** 0 is the first. */
  page: number;
  pageSize: number;
  total: number;
  /** What the rows are: "channels". */
  unit: string;
  onPage: (page: number) => void;
  onPageSize: (pageSize: number) => void;
}>;

/** Which rows are selected: their ids with true. */
export type Selected = RowSelectionState;
export type Selection = Readonly<{ selected: Selected; onChange: (selected: Selected) => void }>;

/** The selection of the rows with these ids. */
export const selectRows = (ids: Iterable<RowId>): Selected =>
  Object.fromEntries([...ids].map((id) => [String(id), true]));

/** The ids of the selected rows, on whichever page they are. */
export const selectedIds = (selected: Selected): string[] => Object.keys(selected);

/** An entry of the menu at the end of a row. */
export type RowAction = Readonly<{
  label: string;
  icon?: ReactNode;
  onSelect: () => void;
  isDangerous?: boolean;
  isDisabled?: boolean;
}>;
