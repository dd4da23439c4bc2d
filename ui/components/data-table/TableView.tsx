import Box from "@mui/material/Box";
import { keyframes, type Theme } from "@mui/material/styles";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableFooter from "@mui/material/TableFooter";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import useMediaQuery from "@mui/material/useMediaQuery";
import type { RowData } from "@tanstack/react-table";
import {
  Fragment,
  lazy,
  memo,
  type RefObject,
  Suspense,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import { size } from "../../theme/theme.ts";
import { IS_TOUCH, TARGET_PX } from "../../theme/touch.ts";
import { ACTIONS_PX } from "./columns/control-columns.tsx";
import { HANDLE_GAP, HeadCell } from "./columns/HeadCell.tsx";
import { useColumnWidths } from "./columns/use-column-widths.ts";
import type { EndlessRows } from "./paging/use-endless-rows.ts";
import { type RowOf, renderCell, renderFoot } from "./table.ts";
import type { ViewProps } from "./use-data-table.ts";

/** Loaded with the first long list. */
const NearRows = lazy(async () => ({ default: (await import("./paging/NearRows.tsx")).NearRows }));

const SKELETON_ROWS = 8;
/** From this many rows on, only those near the viewport are rendered. */
const VIRTUAL_FROM = 60;
const ROW_PX = 40;
const COMPACT_ROW_PX = 32;
const HEAD_PX = 36;
/** Below the page's header; a drawer has none. */
const STICKY_TOP = `var(--sticky-top, ${size.header}px)`;
/** The menu stays visible where the table is wider than the viewport; what gets the focus is scrolled clear of it. */
const PINNED_RIGHT = { position: "sticky", right: 0, zIndex: 1, backgroundColor: "inherit" } as const;

/** Details are as wide as the visible part of the table. */
const IN_SIGHT = { position: "sticky", left: 0, width: "min(100%, 100cqw)" } as const;

/** The table on a wide screen: 40 px rows, numbers on the right, a faint line between rows. */
export function TableView<Row extends RowData>(props: ViewProps<Row>) {
  const { table, isCompact, columns: pageColumns, chosenWidths, setWidth, endless } = props;
  // The first rows are rendered in slices, so that what is pressed meanwhile is answered.
  const isLoading = useDeferredValue(props.isLoading);
  const { rows, rowsById } = table.getRowModel();
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const columns = headers.map(({ column }) => column);
  const hasFoot = columns.some(({ columnDef }) => columnDef.meta?.hasFoot);
  const canSort = columns.some((column) => column.getCanSort());
  const hasActions = table.getEndVisibleLeafColumns().length > 0;
  const hasStart = table.getStartVisibleLeafColumns().length > 0;
  const isVirtual = endless !== undefined || rows.length >= VIRTUAL_FROM;
  const start = endless?.start ?? 0;
  const stopId = tabStop(rows, props.focusedId, endless);
  const ref = useStickyHeader();
  const isTouch = useMediaQuery(IS_TOUCH, { noSsr: true });
  const { room, widths, least: minWidth } = useColumnWidths(table, pageColumns, chosenWidths, endless?.key);
  // Headers can't stick to the viewport inside a box that scrolls sideways, so only a table that is too wide scrolls.
  const tooNarrow = `@container (max-width: ${minWidth - 1}px)`;
  return (
    <Box ref={room} sx={{ containerType: "inline-size" }}>
      <Box sx={{ [tooNarrow]: { overflowX: "auto", ...(hasActions && { scrollPaddingRight: `${ACTIONS_PX}px` }) } }}>
        <Table
          ref={ref}
          {...(isVirtual && { "aria-rowcount": (endless?.total ?? rows.length) + 1 })}
          stickyHeader
          sx={{
            minWidth,
            "& thead th": { top: STICKY_TOP },
            "& [data-row]": { scrollMarginTop: `calc(${STICKY_TOP} + ${HEAD_PX}px)` },
            [tooNarrow]: { "& thead th": { top: 0, transform: `translateY(var(${HEAD_SHIFT}, 0px))` } },
            ...(isCompact && { "& td": { height: COMPACT_ROW_PX } }),
            ...(setWidth && canSort && { "& .MuiTableCell-alignRight": { pr: HANDLE_GAP } }),
            "& .skeleton": SKELETON,
            "& tr > :first-of-type": { pl: hasStart ? 2 : 4 },
            "& tr > :last-child": hasActions ? { pr: 2, ...PINNED_RIGHT } : { pr: 4 },
            ...(hasActions && {
              "& tbody > tr": { bgcolor: "surface.paper" },
              "& tfoot > tr": { bgcolor: "surface.sunken" },
              "& thead > tr > :last-child": { zIndex: 3, bgcolor: "surface.sunken" },
            }),
          }}
        >
          <colgroup>
            {columns.map((column) => (
              <col key={column.id} style={widths.has(column.id) ? { width: widths.get(column.id) } : {}} />
            ))}
          </colgroup>
          <TableHead>
            <TableRow>
              {headers.map((header) => (
                <HeadCell key={header.id} header={header} onWidth={setWidth} />
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {isLoading ? (
              <SkeletonRows columns={columns.length} />
            ) : isVirtual ? (
              <Suspense fallback={<SkeletonRows columns={columns.length} />}>
                <NearRows
                  count={endless?.length ?? rows.length}
                  rowPx={isTouch ? TARGET_PX : isCompact ? COMPACT_ROW_PX : ROW_PX}
                  endless={endless}
                  span={columns.length}
                  render={(index, onDetail) => {
                    const row = endless ? rowsById[endless.ids.get(start + index) ?? ""] : rows[index];
                    return (
                      row && (
                        <BodyRow
                          row={row}
                          position={start + index}
                          onDetail={onDetail}
                          isTabStop={row.id === stopId}
                          {...props}
                        />
                      )
                    );
                  }}
                />
              </Suspense>
            ) : (
              rows.map((row) => <BodyRow key={row.id} row={row} isTabStop={row.id === stopId} {...props} />)
            )}
          </TableBody>
          {hasFoot && !isLoading && rows.length > 0 && (
            <TableFooter>
              <TableRow>
                {headers.map((header) => (
                  <TableCell key={header.id} align={header.column.columnDef.meta?.align ?? "left"}>
                    {renderFoot(header)}
                  </TableCell>
                ))}
              </TableRow>
            </TableFooter>
          )}
        </Table>
      </Box>
    </Box>
  );
}

const SkeletonRows = memo(({ columns }: { columns: number }) =>
  Array.from({ length: SKELETON_ROWS }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
    <TableRow key={index}>
      {Array.from({ length: columns }, (__, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <td key={at} className="sl-cell">
          <span className="skeleton" style={{ width: at === 0 ? "50%" : "70%" }} />
        </td>
      ))}
    </TableRow>
  )),
);

/** As the library's, which would be the larger part of the time that it takes to open a list. */
const SKELETON = {
  display: "block",
  height: 12,
  borderRadius: "5px",
  position: "relative",
  overflow: "hidden",
  bgcolor: "tone.idle.tint",
  "&::after": {
    content: '""',
    position: "absolute",
    inset: 0,
    background: (theme: Theme) =>
      `linear-gradient(90deg, transparent, ${(theme.vars ?? theme).palette.action.hover}, transparent)`,
    transform: "translateX(-100%)",
    animation: `${keyframes({ "0%": { transform: "translateX(-100%)" }, "50%, 100%": { transform: "translateX(100%)" } })} 2s linear 0.5s infinite`,
  },
} as const;

/** One stop for the Tab key: the row that was reached last, else the first; in an endless list the first in sight. */
function tabStop<Row extends RowData>(
  rows: readonly RowOf<Row>[],
  focusedId: string | null,
  endless: EndlessRows | undefined,
): string | undefined {
  const isThere = focusedId !== null && rows.some(({ id }) => id === focusedId);
  return isThere ? focusedId : endless ? endless.ids.get(endless.inSight.read().first) : rows[0]?.id;
}

type BodyRowProps<Row extends RowData> = {
  row: RowOf<Row>;
  /** Its position in the list, where not all rows are rendered. */
  position?: number;
  /** Receives the height of the row's details in pixels, 0 without. */
  onDetail?: (px: number) => void;
  /** The one row that the Tab key stops at. */
  isTabStop: boolean;
} & ViewProps<Row>;

function BodyRow<Row extends RowData>({ row, position, onDetail, isTabStop, ...props }: BodyRowProps<Row>) {
  const { detail, isDim, focusedId, onFocusRow, onOpen } = props;
  const isOpen = row.getIsExpanded();
  const cells = row.getVisibleCells();
  const box = useRef<HTMLDivElement>(null);
  const report = useRef(onDetail);
  report.current = onDetail;
  useLayoutEffect(() => {
    const element = box.current;
    if (!isOpen || !element) {
      report.current?.(0);
      return;
    }
    const observer = new ResizeObserver(() => report.current?.(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen]);
  return (
    <Fragment>
      <TableRow
        hover
        data-row={row.id}
        tabIndex={isTabStop ? 0 : -1}
        onFocus={(event) => event.target === event.currentTarget && onFocusRow(row.id)}
        {...(position !== undefined && { "aria-rowindex": position + 2 })}
        selected={row.getIsSelected()}
        onClick={(event) => {
          if (onOpen) onOpen(row.original);
          else if (detail && !isOtherClick(event.target)) row.toggleExpanded();
        }}
        sx={{
          "&:focus-visible": { outlineOffset: "-2px" },
          ...((onOpen || detail) && { cursor: "pointer" }),
          ...(isDim?.(row.original) && { "& td": { color: "text.tertiary" } }),
          ...(isOpen && { "& td": { borderBottomColor: "transparent", bgcolor: "surface.sunken" } }),
          ...(focusedId === row.id && {
            "& td:first-of-type": {
              boxShadow: (theme) => `inset 2px 0 0 ${(theme.vars ?? theme).palette.primary.main}`,
            },
          }),
        }}
      >
        {cells.map((cell) => {
          const { align = "left", isSolid } = cell.column.columnDef.meta ?? {};
          const isControl = cell.column.getIsPinned() !== false;
          return (
            <td
              key={cell.column.id}
              className={align === "right" ? "sl-cell MuiTableCell-alignRight" : "sl-cell"}
              style={{ textAlign: align, ...((isSolid || isControl) && { textOverflow: "clip" }) }}
              {...(isControl && { onClick: (event) => event.stopPropagation() })}
            >
              {renderCell(cell)}
            </td>
          );
        })}
      </TableRow>
      {isOpen && detail && (
        <TableRow>
          <TableCell
            colSpan={cells.length}
            sx={{
              p: "0 !important",
              height: "auto",
              whiteSpace: "normal",
              borderBottomColor: "line.main",
              bgcolor: "surface.sunken",
            }}
          >
            <Box ref={box} sx={IN_SIGHT}>
              {detail(row.original)}
            </Box>
          </TableCell>
        </TableRow>
      )}
    </Fragment>
  );
}

/** Whether a click in a row was meant for something in it, or ended the selection of a text. */
const isOtherClick = (target: EventTarget): boolean =>
  (target instanceof Element && target.closest("a, button, input, label") !== null) ||
  window.getSelection()?.type === "Range";

/** How far the headers of a table that scrolls sideways are moved down; set on its `thead`. */
const HEAD_SHIFT = "--head-shift";

/**
 * Keeps the headers of a table that scrolls sideways visible: they stick to the table's own box, so they are moved down
 * as the page scrolls. Returns the ref for the table.
 */
function useStickyHeader(): RefObject<HTMLTableElement | null> {
  const ref = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const table = ref.current;
    const head = table?.tHead;
    if (!table || !head) return;
    const follow = () => {
      const { top, height } = table.getBoundingClientRect();
      const shift = Math.min(Math.max(size.header - top, 0), height - head.offsetHeight);
      head.style.setProperty(HEAD_SHIFT, `${shift}px`);
    };
    window.addEventListener("scroll", follow, { passive: true });
    return () => window.removeEventListener("scroll", follow);
  }, []);
  return ref;
}
