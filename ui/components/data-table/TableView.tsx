import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import Checkbox from "@mui/material/Checkbox";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableFooter from "@mui/material/TableFooter";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { size } from "../../theme.ts";
import type { Column } from "./column.ts";
import { RowMenu } from "./RowMenu.tsx";
import { selectPage } from "./select-page.ts";
import { HEAD_SHIFT, useStuckHead } from "./use-stuck-head.ts";
import { VirtualRows } from "./VirtualRows.tsx";
import type { ViewProps } from "./view.ts";

const SKELETON_ROWS = 8;
/** With so many rows only those near the window are drawn. */
const VIRTUAL_FROM = 60;
const ROW_PX = 40;
const COMPACT_ROW_PX = 32;
const HEAD_PX = 36;
/** The least room for a column without a width. */
const FLEXIBLE_PX = 140;
const DETAIL_PX = 36;
const SELECTION_PX = 40;
const ACTIONS_PX = 48;
/** The menu stays in sight where the table is wider than the window. */
const STUCK_RIGHT = { position: "sticky", right: 0, zIndex: 1, backgroundColor: "inherit" } as const;

/** What is opened is as wide as what can be seen of a table that is wider. */
const IN_SIGHT = { position: "sticky", left: 0, width: "min(100%, 100cqw)" } as const;

/** The table on a wide screen: 40 px rows, figures right, one faint line between rows. */
export function TableView<Row>(props: ViewProps<Row>) {
  const { t } = useTranslation();
  const { rows, columns, selection, detail, actions, isLoading, isCompact } = props;
  const hasFoot = columns.some(({ foot }) => foot !== undefined);
  const controls = (detail ? DETAIL_PX : 0) + (selection ? SELECTION_PX : 0) + (actions ? ACTIONS_PX : 0);
  const cells = columns.length + (selection ? 1 : 0) + (detail ? 1 : 0) + (actions ? 1 : 0);
  // An opened row has a height of its own.
  const isVirtual = rows.length >= VIRTUAL_FROM && props.openId === null;
  const table = useStuckHead();
  const minWidth = columns.reduce((sum, { width }) => sum + (width ?? FLEXIBLE_PX), controls);
  // What scrolls sideways cannot have heads that stick to the window: only a table that is too wide does.
  const tooNarrow = `@container (max-width: ${minWidth - 1}px)`;
  return (
    <Box sx={{ containerType: "inline-size" }}>
      <Box sx={{ [tooNarrow]: { overflowX: "auto" } }}>
        <Table
          ref={table}
          {...(isVirtual && { "aria-rowcount": rows.length + 1 })}
          stickyHeader
          sx={{
            minWidth,
            "& thead th": { top: size.header },
            "& [data-row]": { scrollMarginTop: size.header + HEAD_PX },
            [tooNarrow]: { "& thead th": { top: 0, transform: `translateY(var(${HEAD_SHIFT}, 0px))` } },
            ...(isCompact && { "& td": { height: COMPACT_ROW_PX } }),
            "& tr > :first-of-type": { pl: detail || selection ? 2 : 4 },
            "& tr > :last-child": actions ? { pr: 2, ...STUCK_RIGHT } : { pr: 4 },
            ...(actions && {
              "& tbody > tr": { bgcolor: "surface.paper" },
              "& thead > tr > :last-child": { zIndex: 3, bgcolor: "surface.sunken" },
            }),
          }}
        >
          <colgroup>
            {detail && <col style={{ width: DETAIL_PX }} />}
            {selection && <col style={{ width: SELECTION_PX }} />}
            {columns.map(({ key, width }) => (
              <col key={key} style={width ? { width } : {}} />
            ))}
            {actions && <col style={{ width: ACTIONS_PX }} />}
          </colgroup>
          <TableHead>
            <TableRow>
              {detail && (
                <TableCell>
                  <Box component="span" sx={{ position: "absolute", clip: "rect(0 0 0 0)" }}>
                    {t("components.table.details")}
                  </Box>
                </TableCell>
              )}
              {selection && (
                <TableCell sx={{ textOverflow: "clip" }}>
                  <SelectPage {...props} />
                </TableCell>
              )}
              {columns.map((column) => (
                <HeadCell key={column.key} column={column} {...props} />
              ))}
              {actions && (
                <TableCell>
                  <Box component="span" sx={{ position: "absolute", clip: "rect(0 0 0 0)" }}>
                    {t("components.table.actions")}
                  </Box>
                </TableCell>
              )}
            </TableRow>
          </TableHead>
          <TableBody>
            {isLoading
              ? Array.from({ length: SKELETON_ROWS }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
                  <TableRow key={index}>
                    {Array.from({ length: cells }, (_unused, cell) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
                      <TableCell key={cell}>
                        <Skeleton height={12} width={cell === 0 ? "50%" : "70%"} />
                      </TableCell>
                    ))}
                  </TableRow>
                ))
              : isVirtual
                ? virtualRows(props, cells)
                : rows.map((row) => <BodyRow key={props.rowId(row)} row={row} span={cells} {...props} />)}
          </TableBody>
          {hasFoot && !isLoading && rows.length > 0 && (
            <TableFooter>
              <TableRow>
                {detail && <TableCell />}
                {selection && <TableCell />}
                {columns.map(({ key, align, foot }) => (
                  <TableCell key={key} align={align ?? "left"}>
                    {foot}
                  </TableCell>
                ))}
                {actions && <TableCell />}
              </TableRow>
            </TableFooter>
          )}
        </Table>
      </Box>
    </Box>
  );
}

function virtualRows<Row>(props: ViewProps<Row>, cells: number) {
  const { rows, rowId, isCompact } = props;
  return (
    <VirtualRows
      count={rows.length}
      rowHeight={isCompact ? COMPACT_ROW_PX : ROW_PX}
      span={cells}
      render={(index) => {
        const row = rows[index];
        return row === undefined ? null : <BodyRow key={rowId(row)} row={row} index={index} span={cells} {...props} />;
      }}
    />
  );
}

function SelectPage<Row>({ rows, rowId, selection }: ViewProps<Row>) {
  const { t } = useTranslation();
  if (!selection) return null;
  const ids = rows.map(rowId);
  const ticked = ids.filter((id) => selection.selected.has(id)).length;
  return (
    <Checkbox
      checked={ids.length > 0 && ticked === ids.length}
      indeterminate={ticked > 0 && ticked < ids.length}
      onChange={() => selection.onChange(selectPage(selection.selected, ids))}
      slotProps={{ input: { "aria-label": t("components.table.selectPage") } }}
    />
  );
}

function HeadCell<Row>({ column, sort, onSort }: { column: Column<Row> } & ViewProps<Row>) {
  const { sortKey, head, align = "left" } = column;
  const direction = sort && sort.key === sortKey ? (sort.isDescending ? "desc" : "asc") : false;
  if (!sortKey || !onSort) return <TableCell align={align}>{head}</TableCell>;
  const Arrow = direction === "asc" ? ArrowUpward : ArrowDownward;
  return (
    <TableCell align={align} sortDirection={direction}>
      <ButtonBase
        onClick={() => onSort({ key: sortKey, isDescending: direction !== "desc" })}
        sx={{ gap: 0.5, font: "inherit", ...(direction && { color: "text.primary" }) }}
      >
        {head}
        {direction && <Arrow sx={{ fontSize: 13 }} />}
      </ButtonBase>
    </TableCell>
  );
}

type BodyRowProps<Row> = {
  row: Row;
  span: number;
  /** Its place where not all rows are drawn. */
  index?: number;
} & ViewProps<Row>;

function BodyRow<Row>({ row, span, index, ...props }: BodyRowProps<Row>) {
  const { t } = useTranslation();
  const {
    columns,
    rowId,
    rowName,
    selection,
    detail,
    actions,
    openId,
    focusedId,
    isDim,
    toggleDetail,
    toggleSelected,
  } = props;
  const id = rowId(row);
  const name = rowName(row);
  const isOpen = openId === id;
  return (
    <Fragment>
      <TableRow
        hover
        data-row={id}
        {...(index !== undefined && { "aria-rowindex": index + 2 })}
        selected={selection?.selected.has(id) ?? false}
        onClick={() => props.onOpen?.(row)}
        sx={{
          ...(props.onOpen && { cursor: "pointer" }),
          ...(isDim?.(row) && { "& td": { color: "text.tertiary" } }),
          ...(isOpen && { "& td": { borderBottomColor: "transparent", bgcolor: "surface.sunken" } }),
          ...(focusedId === id && {
            "& td:first-of-type": {
              boxShadow: (theme) => `inset 2px 0 0 ${(theme.vars ?? theme).palette.primary.main}`,
            },
          }),
        }}
      >
        {detail && (
          <TableCell sx={{ textOverflow: "clip" }}>
            <IconButton
              size="small"
              aria-expanded={isOpen}
              aria-label={t("components.table.detailsOf", { name })}
              onClick={(event) => {
                event.stopPropagation();
                toggleDetail(id);
              }}
            >
              {isOpen ? <ExpandMore /> : <ChevronRight />}
            </IconButton>
          </TableCell>
        )}
        {selection && (
          <TableCell sx={{ textOverflow: "clip" }} onClick={(event) => event.stopPropagation()}>
            <Checkbox
              checked={selection.selected.has(id)}
              onChange={() => toggleSelected(id)}
              slotProps={{ input: { "aria-label": t("components.table.selectRow", { name }) } }}
            />
          </TableCell>
        )}
        {columns.map(({ key, align, cell, isSolid }) => (
          <TableCell key={key} align={align ?? "left"} sx={isSolid ? { textOverflow: "clip" } : {}}>
            {cell(row)}
          </TableCell>
        ))}
        {actions && (
          <TableCell align="right" sx={{ textOverflow: "clip" }} onClick={(event) => event.stopPropagation()}>
            <RowMenu actions={actions(row)} name={name} />
          </TableCell>
        )}
      </TableRow>
      {isOpen && detail && (
        <TableRow>
          <TableCell
            colSpan={span}
            sx={{
              p: "0 !important",
              height: "auto",
              whiteSpace: "normal",
              borderBottomColor: "line.main",
              bgcolor: "surface.sunken",
            }}
          >
            <Box sx={IN_SIGHT}>{detail(row)}</Box>
          </TableCell>
        </TableRow>
      )}
    </Fragment>
  );
}
