import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import TableCell from "@mui/material/TableCell";
import type { Header, RowData } from "@tanstack/react-table";
import { type KeyboardEvent, memo, type PointerEvent, type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { IS_TOUCH } from "../../../theme/touch.ts";
import { type features, headOf, renderHead } from "../table.ts";
import { CONTROLS } from "./control-columns.tsx";

type HeadCellProps<Row extends RowData> = Readonly<{
  header: Header<typeof features, Row, unknown>;
  /** Sets the column's width; null: back to what fits. Without it the column can't be resized. */
  onWidth?: ((id: string, width: number | null) => void) | undefined;
}>;

/** Right padding of cells, in units of the grid, that puts 12 px between the center of a handle and what sorts the column. */
export const HANDLE_GAP = 4;

/** The head of a column: its name, which sorts where the server can, and a handle for its width. */
export function HeadCell<Row extends RowData>({ header, onWidth }: HeadCellProps<Row>) {
  const { column } = header;
  if (column.getIsPinned()) {
    return (
      <TableCell sx={column.id === CONTROLS.select ? { textOverflow: "clip" } : {}}>{renderHead(header)}</TableCell>
    );
  }
  return <NamedHead header={header} direction={column.getIsSorted()} canSort={column.getCanSort()} onWidth={onWidth} />;
}

type NamedHeadProps<Row extends RowData> = HeadCellProps<Row> &
  Readonly<{ direction: false | "asc" | "desc"; canSort: boolean }>;

/** Rendered again only when something of it changes, not whenever rows do. */
const NamedHead = memo(function NamedHead<Row extends RowData>(props: NamedHeadProps<Row>) {
  const { header, direction, canSort, onWidth } = props;
  const { column } = header;
  const align = column.columnDef.meta?.align ?? "left";
  const handle = onWidth && <ResizeHandle name={headOf(column)} onWidth={(width) => onWidth(column.id, width)} />;
  // Without it the handle would be part of the name.
  const named = handle ? { "aria-label": headOf(column) } : {};
  if (!canSort) {
    return (
      <TableCell align={align} {...named}>
        {headOf(column)}
        {handle}
      </TableCell>
    );
  }
  const Arrow = direction === "asc" ? ArrowUpward : ArrowDownward;
  return (
    <TableCell align={align} sortDirection={direction} sx={handle ? { pr: HANDLE_GAP } : {}} {...named}>
      <ButtonBase
        onClick={() => column.toggleSorting()}
        sx={{
          gap: 0.5,
          font: "inherit",
          minWidth: LEAST_TARGET_PX,
          minHeight: LEAST_TARGET_PX,
          maxWidth: "100%",
          justifyContent: align === "right" ? "flex-end" : "flex-start",
          ...(direction && { color: "text.primary" }),
        }}
      >
        <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis" }}>
          {headOf(column)}
        </Box>
        {direction && <Arrow sx={{ fontSize: 13 }} />}
      </ButtonBase>
      {handle}
    </TableCell>
  );
}) as <Row extends RowData>(props: NamedHeadProps<Row>) => ReactNode;

const STEP_PX = 16;
const MOST_PX = 2000;
const HANDLE_PX = 7;
/** WCAG 2.2, 2.5.8: a target is this large, or a circle of this diameter around its center touches no other target. */
const LEAST_TARGET_PX = 24;

type ResizeHandleProps = Readonly<{ name: string; onWidth: (width: number | null) => void }>;

/** Drags a column's right edge; arrow keys move it, a double click or Escape fits the column to its texts again. */
const ResizeHandle = ({ name, onWidth }: ResizeHandleProps) => {
  const { t } = useTranslation();
  const start = useRef<Readonly<{ x: number; width: number }> | null>(null);
  const widthOf = (handle: Element) => Math.round(handle.closest("th")?.getBoundingClientRect().width ?? 0);
  const move = (event: PointerEvent) => {
    if (start.current) onWidth(Math.min(Math.round(start.current.width + event.clientX - start.current.x), MOST_PX));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? STEP_PX : event.key === "ArrowLeft" ? -STEP_PX : 0;
    if (step !== 0) onWidth(widthOf(event.currentTarget) + step);
    else if (event.key === "Escape") onWidth(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <Box
      component="button"
      type="button"
      aria-label={t("components.table.resize", { name })}
      title={t("components.table.resizeHint")}
      onKeyDown={onKeyDown}
      onClick={(event) => event.stopPropagation()}
      onDoubleClick={() => onWidth(null)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width: widthOf(event.currentTarget) };
      }}
      onPointerMove={move}
      onPointerUp={() => {
        start.current = null;
      }}
      sx={{
        position: "absolute",
        top: 0,
        right: 0,
        width: HANDLE_PX,
        height: "100%",
        p: 0,
        border: 0,
        bgcolor: "transparent",
        cursor: "col-resize",
        touchAction: "none",
        "&::after": {
          content: '""',
          position: "absolute",
          inset: "8px 0 8px 6px",
          bgcolor: "line.strong",
        },
        opacity: 0,
        "thead:hover &, &:focus-visible": { opacity: 1 },
        // Too narrow for a finger, which would drag it instead of scrolling.
        [`@media ${IS_TOUCH}`]: { display: "none" },
      }}
    />
  );
};
