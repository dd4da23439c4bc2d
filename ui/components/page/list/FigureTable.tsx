import type { RowData } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { DataTable } from "../../data-table/DataTable.tsx";
import { useDataTable } from "../../data-table/use-data-table.ts";
import type { ResourceList } from "./resource-list.ts";
import { useColumns, useListContext } from "./use-list-context.ts";

/** The description of a table whose rows a page has already. */
export type Figures<Row, Data = undefined> = Pick<
  ResourceList<Row, object, Data>,
  "text" | "columns" | "rowId" | "rowName" | "isDim" | "card"
>;

type Props<Row, Data> = Readonly<{
  table: Figures<Row, Data>;
  /** Undefined while they are loaded. */
  rows: readonly Row[] | undefined;
  error?: unknown;
  onRetry?: () => void;
  /** Without rows. */
  empty?: ReactNode;
  isCompact?: boolean;
}>;

/** Draws figures from their description, with the data that it needs. */
export function FigureTable<Row extends RowData>(props: Props<Row, undefined>): ReactNode;
export function FigureTable<Row extends RowData, Data>(props: Props<Row, Data> & Readonly<{ data: Data }>): ReactNode;
export function FigureTable<Row extends RowData, Data>(props: Props<Row, Data> & Readonly<{ data?: Data }>) {
  const { table, rows, error, onRetry, empty = null, isCompact, data } = props;
  const { context, opened } = useListContext(data === undefined ? undefined : () => data, ignoreSelection);
  const model = useDataTable({
    columns: useColumns(table, context),
    rows,
    rowId: table.rowId,
    rowName: (row) => table.rowName(row, context),
  });
  return (
    <>
      <DataTable
        model={model}
        error={error}
        empty={empty}
        {...(onRetry && { onRetry })}
        {...(isCompact && { isCompact })}
        {...(table.card && { card: (row: Row) => table.card?.(row, context) })}
        {...(table.isDim && { isDim: (row: Row) => table.isDim?.(row, context) ?? false })}
      />
      {opened}
    </>
  );
}

/** The name of a column alone, of the key that it asks a description's `text` for: "columns.cost" is "cost". */
export const columnName = (key: string): string => key.replace(/^columns\./, "");

const ignoreSelection = () => {};
