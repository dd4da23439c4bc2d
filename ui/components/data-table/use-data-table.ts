import { type ExpandedState, functionalUpdate, type RowData, useTable } from "@tanstack/react-table";
import { useAtom } from "jotai";
import { RESET } from "jotai/utils";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { jsonFormat, storedAtoms } from "../../state/stored-atom.ts";
import type { Column, RowAction, RowId, Selection, Sort } from "./column.ts";
import { controlColumns, PINNING } from "./columns/control-columns.tsx";
import type { EndlessRows } from "./paging/use-endless-rows.ts";
import { columnDefOf, features, type Table } from "./table.ts";

type Options<Row> = Readonly<{
  columns: readonly Column<Row>[];
  /** Undefined until the first response. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => RowId;
  /** The row's name in labels for screen readers. */
  rowName: (row: Row) => string;
  /** The key under which this device stores the visible columns; without it, all are visible. */
  columnsKey?: string;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
  selection?: Selection;
  /** Details below an expanded row; only one row is expanded at a time. */
  detail?: (row: Row) => ReactNode;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
}>;

/** The rows and columns of a table, for DataTable and ColumnTools. */
export type TableModel<Row extends RowData> = Readonly<{
  table: Table<Row>;
  isLoading: boolean;
  rowName: (row: Row) => string;
  detail?: ((row: Row) => ReactNode) | undefined;
  /** The pages' columns, by whose texts widths are fitted. */
  columns: readonly Column<Row>[];
  /** Widths that the reader set, by column, in pixels. */
  chosenWidths: Readonly<Record<string, number>>;
  /** Sets and remembers a column's width; null: what fits. Missing where columns are not remembered. */
  setWidth?: ((id: string, width: number | null) => void) | undefined;
  /** Restores the default columns and widths. */
  resetColumns: () => void;
}>;

/** Props of both layouts, rows and cards. */
export type ViewProps<Row extends RowData> = TableModel<Row> &
  Readonly<{
    isCompact: boolean;
    /** A card's summary, which expands to all columns. Without it, a card shows all columns. */
    card?: ((row: Row) => ReactNode) | undefined;
    /** A click on the row. */
    onOpen?: ((row: Row) => void) | undefined;
    isDim?: ((row: Row) => boolean) | undefined;
    /** The table's rows are those in memory of a long list. */
    endless?: EndlessRows | undefined;
    focusedId: string | null;
    onFocusRow: (id: string) => void;
  }>;

/** The state of a table: visible columns, selected and expanded rows, and sort order. */
export function useDataTable<Row extends RowData>(options: Options<Row>): TableModel<Row> {
  const { columns, rows, rowId, rowName, columnsKey, sort, onSort, selection, detail, actions } = options;
  const { t } = useTranslation();
  const [chosen, setChosen] = useAtom(visibilityAtom(columnsKey ?? ""));
  const [chosenWidths, setWidths] = useAtom(widthsAtom(`${columnsKey ?? ""}-widths`));
  const [expanded, setExpanded] = useState<ExpandedState>({});
  const [hasDetail, isSelectable, hasActions] = [detail !== undefined, selection !== undefined, actions !== undefined];
  // Pages make these with each of their renders; columns and headers stay.
  const latest = useRef({ rowName, actions });
  latest.current = { rowName, actions };
  const columnDefs = useMemo(() => {
    const controls = controlColumns<Row>({
      rowName: (row) => latest.current.rowName(row),
      hasDetail,
      isSelectable,
      actions: hasActions ? (row) => latest.current.actions?.(row) ?? [] : undefined,
      t,
    });
    return [...columns.map(columnDefOf), ...controls];
  }, [columns, hasDetail, isSelectable, hasActions, t]);
  const columnVisibility = useMemo(
    () => (columnsKey === undefined ? {} : { ...visibleByDefault(columns), ...chosen }),
    [columnsKey, chosen, columns],
  );
  const sorting = sort
    ? [{ id: columns.find(({ sortKey }) => sortKey === sort.key)?.key ?? "", desc: sort.isDescending }]
    : [];
  const rowSelection = selection?.selected ?? {};
  const table = useTable<typeof features, Row>({
    features,
    columns: columnDefs,
    data: rows ?? NO_ROWS,
    getRowId: (row) => String(rowId(row)),
    state: { columnVisibility, columnPinning: PINNING, sorting, rowSelection, expanded },
    onColumnVisibilityChange(change) {
      const next = functionalUpdate(change, columnVisibility);
      setChosen({ ...chosen, ...Object.fromEntries(columns.map(({ key }) => [key, next[key] ?? true])) });
    },
    enableSorting: onSort !== undefined,
    enableSortingRemoval: false,
    enableMultiSort: false,
    manualSorting: true,
    sortDescFirst: true,
    onSortingChange(change) {
      const [next] = functionalUpdate(change, sorting);
      const sortKey = columns.find(({ key }) => key === next?.id)?.sortKey;
      if (next) onSort?.({ key: sortKey ?? sort?.key ?? "", isDescending: next.desc });
    },
    enableRowSelection: isSelectable,
    onRowSelectionChange: (change) => selection?.onChange(functionalUpdate(change, rowSelection)),
    getRowCanExpand: () => true,
    manualExpanding: true,
    onExpandedChange: (change) => setExpanded((open) => onlyNewest(open, functionalUpdate(change, open))),
  });
  const setWidth = useCallback(
    (id: string, width: number | null) =>
      setWidths((now) => {
        const { [id]: _, ...others } = now;
        return width === null ? others : { ...others, [id]: width };
      }),
    [setWidths],
  );
  return {
    table,
    isLoading: rows === undefined,
    rowName,
    detail,
    columns,
    chosenWidths,
    setWidth: columnsKey === undefined ? undefined : setWidth,
    resetColumns: () => {
      setChosen(RESET);
      setWidths(RESET);
    },
  };
}

const NO_ROWS: readonly never[] = [];

type Visibility = Readonly<Record<string, boolean>>;
const isVisibility = (value: unknown): value is Visibility =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((isShown) => typeof isShown === "boolean");

/** The columns that the user chose for a table; null: the default. */
const visibilityAtom = storedAtoms(jsonFormat((value) => (isVisibility(value) ? value : null)));

const isWidths = (value: unknown): value is Readonly<Record<string, number>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((width) => typeof width === "number" && width > 0);

/** The widths that the user set in a table. */
const widthsAtom = storedAtoms(jsonFormat((value) => (isWidths(value) ? value : NO_WIDTHS)));
const NO_WIDTHS: Readonly<Record<string, number>> = {};

const visibleByDefault = <Row>(columns: readonly Column<Row>[]): Visibility =>
  Object.fromEntries(columns.map(({ key, isHiddenByDefault }) => [key, !isHiddenByDefault]));

/** The rows that an update has expanded, without those that were expanded before. */
const onlyNewest = (before: ExpandedState, after: ExpandedState): ExpandedState =>
  before === true || after === true
    ? {}
    : Object.fromEntries(Object.entries(after).filter(([id, isOpen]) => isOpen && !before[id]));
