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
  /** Has no fixed width: its size is the minimum it needs. */
  isFlexible?: boolean;
  hasFoot?: boolean;
  /** The server's name for it, if the server can sort by it. */
  sortKey?: string;
}>;

/** The library's features that the console's tables use; the server sorts and pages the rows. */
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

/** Minimum width of a column without a fixed width, in pixels. */
const FLEXIBLE_PX = 140;

/** Converts a page's column to the library's definition. */
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

/** The header text of a column. */
export const headOf = ({ columnDef }: Readonly<{ columnDef: { header?: unknown } }>): string =>
  typeof columnDef.header === "string" ? columnDef.header : "";

/**
 * The content of a cell. Called as a function instead of being rendered as a component: columns are recreated on every
 * render of the page, and text typed into a cell must survive that.
 */
export function renderCell<Row extends RowData>(cell: Cell<Features, Row, unknown> | undefined): ReactNode {
  const template = cell?.column.columnDef.cell;
  return cell && typeof template === "function" ? template(cell.getContext()) : null;
}

/** The content of a column's header. */
export function renderHead<Row extends RowData>(header: Header<Features, Row, unknown>): ReactNode {
  const template = header.column.columnDef.header;
  return typeof template === "function" ? template(header.getContext()) : template;
}

/** The content of a column's footer. */
export function renderFoot<Row extends RowData>(header: Header<Features, Row, unknown>): ReactNode {
  const template = header.column.columnDef.footer;
  return typeof template === "function" ? template(header.getContext()) : template;
}
