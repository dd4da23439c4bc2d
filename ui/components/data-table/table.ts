import {
  type Cell,
  type ColumnDef,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  type Header,
  metaHelper,
  type ReactTable,
  type RowData,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  type Row as TableRow,
  tableFeatures,
} from "@tanstack/react-table";
import type { ReactNode } from "react";
import type { Column } from "./column.ts";

type ColumnMeta = Readonly<{
  align?: Column<unknown>["align"];
  isSolid?: boolean;
  isTitle?: boolean;
  /** Has no width of its own: its size is the least room that it needs. */
  isFlexible?: boolean;
  hasFoot?: boolean;
  /** What the server calls it where it can sort by it. */
  sortKey?: string;
}>;

/** What the tables of the console use of the library; rows are sorted and paged by the server. */
export const features = tableFeatures({
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

type Features = typeof features;
export type Table<Row extends RowData> = ReactTable<Features, Row>;
export type ColumnOf<Row extends RowData> = ColumnDef<Features, Row>;
export type RowOf<Row extends RowData> = TableRow<Features, Row>;

/** The least room for a column without a width, in pixels. */
const FLEXIBLE_PX = 140;

/** Translates a column of a page into the library's terms. */
export const columnDefOf = <Row extends RowData>(column: Column<Row>): ColumnOf<Row> => ({
  id: column.key,
  header: column.head,
  // Only columns with a value can be sorted; the server knows which values these are.
  accessorFn: (row) => row,
  cell: ({ row }) => column.cell(row.original),
  footer: () => column.foot,
  size: column.width ?? FLEXIBLE_PX,
  enableSorting: column.sortKey !== undefined,
  enableHiding: !column.isTitle,
  meta: {
    isFlexible: column.width === undefined,
    hasFoot: column.foot !== undefined,
    ...(column.align && { align: column.align }),
    ...(column.isSolid && { isSolid: true }),
    ...(column.isTitle && { isTitle: true }),
    ...(column.sortKey && { sortKey: column.sortKey }),
  },
});

/** The name of a column, over its cells. */
export const headOf = ({ columnDef }: Readonly<{ columnDef: { header?: unknown } }>): string =>
  typeof columnDef.header === "string" ? columnDef.header : "";

/**
 * What a cell shows. Called as a function and not rendered as a component: the columns are made anew with every change of
 * the page, and what is typed into a cell must outlive that.
 */
export function renderCell<Row extends RowData>(cell: Cell<Features, Row, unknown> | undefined): ReactNode {
  const template = cell?.column.columnDef.cell;
  return cell && typeof template === "function" ? template(cell.getContext()) : null;
}

/** What the head of a column shows. */
export function renderHead<Row extends RowData>(header: Header<Features, Row, unknown>): ReactNode {
  const template = header.column.columnDef.header;
  return typeof template === "function" ? template(header.getContext()) : template;
}

/** What stands under the rows of a column. */
export function renderFoot<Row extends RowData>(header: Header<Features, Row, unknown>): ReactNode {
  const template = header.column.columnDef.footer;
  return typeof template === "function" ? template(header.getContext()) : template;
}
