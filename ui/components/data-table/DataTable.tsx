import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { ErrorState } from "../ErrorState.tsx";
import { usePhone } from "../usePhone.ts";
import { CardView } from "./CardView.tsx";
import type { Column, Paging, RowAction, RowId, Selection, Sort } from "./column.ts";
import { useDensity } from "./density.ts";
import { Pager } from "./Pager.tsx";
import { TableView } from "./TableView.tsx";
import { useRowKeyboard } from "./useRowKeyboard.ts";

type Props<Row> = {
  /** The columns to show: of a ColumnChoice, or all. */
  columns: readonly Column<Row>[];
  /** Undefined while nothing has arrived yet. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => RowId;
  rowName: (row: Row) => string;
  /** Fresh rows are on their way while the old ones are shown. */
  isRefreshing?: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** Instead of rows when there are none. */
  empty: ReactNode;
  /** Low rows whatever is chosen for tables. */
  isCompact?: boolean;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  paging?: Paging;
  selection?: Selection;
  /** On a phone: what a card says at first sight; its columns then unfold. */
  card?: (row: Row) => ReactNode;
  detail?: (row: Row) => ReactNode;
  actions?: (row: Row) => readonly RowAction[];
  /** A click on a row, or Enter. */
  onOpen?: (row: Row) => void;
  isDim?: (row: Row) => boolean;
};

/**
 * The one table of the console. The server sorts and pages; the table shows rows, on a phone cards, and handles ticking,
 * opening, the keyboard (J, K or arrows, Enter, X or space), loading, emptiness and failure.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, rows, rowId, error, onRetry, empty, paging, selection, onOpen, detail } = props;
  const isPhone = usePhone();
  const [isCompactChosen] = useDensity();
  const [openId, setOpenId] = useState<RowId | null>(null);
  const toggleDetail = useCallback((id: RowId) => setOpenId((open) => (open === id ? null : id)), []);
  const toggleSelected = (id: RowId) => {
    if (!selection) return;
    const next = new Set(selection.selected);
    if (!next.delete(id)) next.add(id);
    selection.onChange(next);
  };
  const ids = useMemo(() => (rows ?? []).map(rowId), [rows, rowId]);
  const focusedId = useRowKeyboard({
    ids,
    onOpen: (id) => {
      const row = rows?.find((candidate) => rowId(candidate) === id);
      if (row && onOpen) onOpen(row);
      else if (detail) toggleDetail(id);
    },
    onToggle: selection ? toggleSelected : undefined,
  });
  const View = isPhone ? CardView : TableView;
  const isEmpty = rows !== undefined && rows.length === 0;
  return (
    <Box
      sx={{
        position: "relative",
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        // Not "hidden": heads stick to the window, through this box.
        overflow: "clip",
        bgcolor: "surface.paper",
      }}
    >
      {props.isRefreshing && rows !== undefined && (
        <LinearProgress sx={{ position: "absolute", top: 0, left: 0, right: 0, height: 2, zIndex: 3 }} aria-hidden />
      )}
      {error && !rows ? (
        <ErrorState error={error} {...(onRetry && { onRetry })} />
      ) : isEmpty ? (
        empty
      ) : (
        <View
          rows={rows ?? []}
          columns={columns}
          rowId={rowId}
          rowName={props.rowName}
          isLoading={rows === undefined}
          isCompact={props.isCompact ?? isCompactChosen}
          sort={props.sort}
          onSort={props.onSort}
          selection={selection}
          toggleSelected={toggleSelected}
          card={props.card}
          detail={detail}
          openId={openId}
          toggleDetail={toggleDetail}
          actions={props.actions}
          onOpen={onOpen}
          isDim={props.isDim}
          focusedId={focusedId}
        />
      )}
      {paging && !isEmpty && !(error && !rows) && (
        <Box sx={{ borderTop: "1px solid", borderColor: "line.main" }}>
          <Pager {...paging} />
        </Box>
      )}
    </Box>
  );
}
