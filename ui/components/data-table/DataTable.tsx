import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import type { RowData } from "@tanstack/react-table";
import { useAtomValue } from "jotai";
import { type ReactNode, useEffect, useState } from "react";
import { singleKeysAtom } from "../../state/shortcuts.ts";
import { size } from "../../theme/theme.ts";
import { ErrorState } from "../feedback/ErrorState.tsx";
import { usePhone } from "../layout.tsx";
import { CardView } from "./CardView.tsx";
import { isCompactAtom } from "./ColumnTools.tsx";
import type { Paging } from "./column.ts";
import { EndlessBar, type NewRows, Pager } from "./paging/Pager.tsx";
import type { EndlessRows } from "./paging/use-endless-rows.ts";
import { TableView } from "./TableView.tsx";
import type { TableModel } from "./use-data-table.ts";

type Props<Row extends RowData> = {
  model: TableModel<Row>;
  /** New rows are loading while the previous ones are shown. */
  isRefreshing?: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** Shown when there are no rows. */
  empty: ReactNode;
  /** Compact rows, regardless of the setting. */
  isCompact?: boolean;
  paging?: Paging;
  /** The model's rows are those in memory of a list that scrolls without pages. */
  endless?: EndlessRows | undefined;
  newRows?: NewRows | undefined;
  /** On a phone: a card's summary, which expands to all columns. */
  card?: (row: Row) => ReactNode;
  /** Called on a click on a row, or Enter. */
  onOpen?: (row: Row) => void;
  isDim?: (row: Row) => boolean;
};

/**
 * The console's table. The server sorts and pages; the table shows rows (cards on a phone) and handles selection,
 * expansion, keyboard navigation (J, K or arrows, Enter, X or space), loading, empty and error states.
 */
export function DataTable<Row extends RowData>(props: Props<Row>) {
  const { model, error, onRetry, empty, paging, endless, onOpen } = props;
  const { table, isLoading, detail } = model;
  const isPhone = usePhone();
  const isCompact = useAtomValue(isCompactAtom);
  const { rows } = table.getRowModel();
  const isSelectable = table.options.enableRowSelection === true;
  const [focusedId, setFocused] = useRowKeyboard({
    ids: rows.map(({ id }) => id),
    onOpen(id) {
      const row = rows.find((candidate) => candidate.id === id);
      if (row && onOpen) onOpen(row.original);
      else if (detail) row?.toggleExpanded();
    },
    onToggle: isSelectable ? (id) => rows.find((row) => row.id === id)?.toggleSelected() : undefined,
    onEnd: endless && ((isLast) => endless.goTo(isLast ? endless.total - 1 : 0, { isFocused: true, isAtEnd: isLast })),
  });
  const target = endless?.target;
  const targetId = target?.isFocused ? endless?.ids.get(target.row) : undefined;
  useEffect(() => {
    if (targetId === undefined || !endless) return;
    // The row is rendered once the list has been scrolled to it.
    const element = rowElement(targetId);
    if (!element) return;
    element.focus({ preventScroll: true });
    setFocused(targetId);
    endless.onReached();
  });
  const View = isPhone ? CardView : TableView;
  const isEmpty = !isLoading && rows.length === 0 && !endless?.total;
  const hasFailed = Boolean(error) && isLoading;
  return (
    <Box
      sx={{
        position: "relative",
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        // Not "hidden", so that headers stick to the viewport through this box.
        overflow: "clip",
        bgcolor: "surface.paper",
      }}
    >
      {props.isRefreshing && !isLoading && (
        <LinearProgress sx={{ position: "absolute", top: 0, left: 0, right: 0, height: 2, zIndex: 3 }} aria-hidden />
      )}
      {hasFailed ? (
        <ErrorState error={error} {...(onRetry && { onRetry })} />
      ) : isEmpty ? (
        empty
      ) : (
        <View
          {...model}
          isCompact={props.isCompact ?? isCompact}
          endless={endless}
          card={props.card}
          onOpen={onOpen}
          isDim={props.isDim}
          focusedId={focusedId}
          onFocusRow={setFocused}
        />
      )}
      {paging && endless && !isEmpty && !hasFailed && (
        <EndlessBar endless={endless} paging={paging} newRows={props.newRows} />
      )}
      {paging && !endless && !isEmpty && !hasFailed && (
        <Box sx={{ borderTop: "1px solid", borderColor: "line.main" }}>
          <Pager {...paging} />
        </Box>
      )}
    </Box>
  );
}

type KeyboardOptions = Readonly<{
  ids: readonly string[];
  /** Enter or O. */
  onOpen: (id: string) => void;
  /** X or the space bar. */
  onToggle?: ((id: string) => void) | undefined;
  /** Home or End, in a list of which not all rows are here. */
  onEnd?: ((isLast: boolean) => void) | undefined;
}>;

/**
 * J and K or the arrows move the focus through the rows, Home and End to the ends of an endless list; Enter opens, X or the space
 * bar selects. Ignored while typing or while a dialog is open.
 */
function useRowKeyboard({ ids, onOpen, onToggle, onEnd }: KeyboardOptions) {
  const [focused, setFocused] = useState<string | null>(null);
  const hasSingleKeys = useAtomValue(singleKeysAtom);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      if (!hasSingleKeys && /^[a-z]$/.test(key)) return;
      const step = STEPS[key];
      if (step !== undefined) {
        // Menus, tabs and similar controls handle the arrow keys themselves.
        if (key.startsWith("arrow") && isWithin(event.target, TAKES_ARROWS)) return;
        const at = focused === null ? -1 : ids.indexOf(focused);
        const next = at < 0 ? firstInSight(ids) : ids[Math.min(Math.max(at + step, 0), ids.length - 1)];
        if (next === undefined) return;
        setFocused(next);
        const row = rowElement(next);
        // Real focus, so that screen readers follow, and Enter applies to the row.
        row?.focus({ preventScroll: true });
        row?.scrollIntoView({ block: "nearest" });
      } else if (onEnd && (key === "home" || key === "end") && !isWithin(event.target, TAKES_ARROWS)) {
        onEnd(key === "end");
      } else if (focused !== null && ids.includes(focused)) {
        if (key === "o" || (key === "enter" && !pressesItself(event.target))) onOpen(focused);
        else if (onToggle && (key === "x" || (key === " " && !pressesItself(event.target)))) onToggle(focused);
        else return;
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ids, focused, onOpen, onToggle, onEnd, hasSingleKeys]);
  return [focused, setFocused] as const;
}

const rowElement = (id: string) => document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);

/** The first of these rows below the header of the page. */
const firstInSight = (ids: readonly string[]): string | undefined =>
  ids.find((id) => (rowElement(id)?.getBoundingClientRect().top ?? 0) > size.header) ?? ids[0];

const STEPS: Readonly<Record<string, number | undefined>> = { j: 1, k: -1, arrowdown: 1, arrowup: -1 };
const TAKES_ARROWS = "[role=tab], [role=radiogroup], [role=slider], [role=combobox]";

const isWithin = (target: EventTarget | null, selector: string): boolean =>
  target instanceof HTMLElement && target.closest(selector) !== null;

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]')) return true;
  return isWithin(target, "input:not([type=checkbox]), textarea, select, [contenteditable]");
}

/** A focused button or link handles Enter itself. */
const pressesItself = (target: EventTarget | null): boolean => isWithin(target, "button, a, input");
