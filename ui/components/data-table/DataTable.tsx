import ChevronLeft from "@mui/icons-material/ChevronLeft";
import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import LinearProgress from "@mui/material/LinearProgress";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import type { RowData } from "@tanstack/react-table";
import { useAtomValue } from "jotai";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../lib/format/number.ts";
import { singleKeysAtom } from "../../state/shortcuts.ts";
import { ErrorState } from "../feedback/ErrorState.tsx";
import { Row, usePhone } from "../layout.tsx";
import { CardView } from "./CardView.tsx";
import { isCompactAtom } from "./ColumnTools.tsx";
import type { Paging } from "./column.ts";
import { TableView } from "./TableView.tsx";
import { PAGE_SIZES } from "./url-state.ts";
import type { TableModel } from "./use-data-table.ts";

/** Position in the list, page size, previous and next. */
const Pager = ({ page, pageSize, total, unit, onPage, onPageSize }: Paging) => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const last = Math.max(Math.ceil(total / pageSize) - 1, 0);
  const range = {
    from: total === 0 ? 0 : formatNumber(page * pageSize + 1),
    to: formatNumber(Math.min((page + 1) * pageSize, total)),
    total: formatNumber(total),
    unit,
  };
  return (
    <Row sx={{ px: 4, minHeight: 44, fontSize: 12.5, color: "text.secondary" }}>
      <Box component="span" className="num" aria-live="polite">
        {t("components.table.range", range)}
      </Box>
      <Box sx={{ flex: 1 }} />
      <Button
        variant="text"
        size="small"
        endIcon={<ExpandMore />}
        aria-haspopup="menu"
        aria-label={t("components.table.perPage", { count: pageSize })}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {isPhone ? pageSize : t("components.table.perPage", { count: pageSize })}
      </Button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {PAGE_SIZES.map((size) => (
          <MenuItem
            key={size}
            selected={size === pageSize}
            onClick={() => {
              setAnchor(null);
              onPageSize(size);
            }}
          >
            {t("components.table.perPage", { count: size })}
          </MenuItem>
        ))}
      </Menu>
      <IconButton aria-label={t("components.table.previous")} disabled={page <= 0} onClick={() => onPage(page - 1)}>
        <ChevronLeft />
      </IconButton>
      <IconButton aria-label={t("components.table.next")} disabled={page >= last} onClick={() => onPage(page + 1)}>
        <ChevronRight />
      </IconButton>
    </Row>
  );
};

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
  const { model, error, onRetry, empty, paging, onOpen } = props;
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
  });
  const View = isPhone ? CardView : TableView;
  const isEmpty = !isLoading && rows.length === 0;
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
          card={props.card}
          onOpen={onOpen}
          isDim={props.isDim}
          focusedId={focusedId}
          onFocusRow={setFocused}
        />
      )}
      {paging && !isEmpty && !hasFailed && (
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
}>;

/**
 * J and K or the arrows move the focus through the rows, Enter opens, X or the space bar selects. Ignored while typing or while a
 * dialog is open.
 */
function useRowKeyboard({ ids, onOpen, onToggle }: KeyboardOptions) {
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
        const next = ids[Math.min(Math.max(at + step, 0), ids.length - 1)];
        if (next === undefined) return;
        setFocused(next);
        const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(next)}"]`);
        // Real focus, so that screen readers follow, and Enter applies to the row.
        row?.focus({ preventScroll: true });
        row?.scrollIntoView({ block: "nearest" });
      } else if (focused !== null && ids.includes(focused)) {
        if (key === "o" || (key === "enter" && !pressesItself(event.target))) onOpen(focused);
        else if (onToggle && (key === "x" || (key === " " && !pressesItself(event.target)))) onToggle(focused);
        else return;
      } else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ids, focused, onOpen, onToggle, hasSingleKeys]);
  return [focused, setFocused] as const;
}

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
