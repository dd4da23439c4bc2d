import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import type { RowData } from "@tanstack/react-table";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Col, Row as Line } from "../layout.tsx";
import { CONTROLS } from "./columns/control-columns.tsx";
import { headOf, type RowOf, renderCell, renderFoot, type Table } from "./table.ts";
import type { ViewProps } from "./use-data-table.ts";

const SKELETON_CARDS = 5;

/** The table on a phone: one card per row, with every column reachable. */
export function CardView<Row extends RowData>(props: ViewProps<Row>) {
  const { table } = props;
  const { rows, rowsById } = table.getRowModel();
  if (props.isLoading) {
    return (
      <Col gap={2.5} sx={{ p: 3 }}>
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          <Skeleton key={index} height={96} variant="rounded" />
        ))}
      </Col>
    );
  }
  return (
    <>
      <CardSort table={table} />
      {props.endless ? (
        <Suspense>
          <NearCards
            endless={props.endless}
            render={(position, place) => {
              const row = rowsById[props.endless?.ids.get(position) ?? ""];
              return row ? (
                <Card row={row} place={place} {...props} />
              ) : (
                <Box component="li" {...place} sx={{ p: 3 }}>
                  <Skeleton height={CARD_PX} variant="rounded" animation={props.endless?.error ? false : "pulse"} />
                </Box>
              );
            }}
          />
        </Suspense>
      ) : (
        <Box component="ul" sx={LIST}>
          {rows.map((row) => (
            <Card key={row.id} row={row} {...props} />
          ))}
        </Box>
      )}
      <CardFoot table={table} />
    </>
  );
}

/** What stands below the columns of a table: sums, each with the name of its column. */
function CardFoot<Row extends RowData>({ table }: { table: Table<Row> }) {
  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const sums = headers.filter(({ column }) => column.columnDef.meta?.hasFoot);
  if (sums.length === 0 || table.getRowModel().rows.length === 0) return null;
  return (
    <Line
      gap={4}
      wrap
      sx={{ px: 3, py: 2, fontSize: 12.5, fontWeight: 550, borderTop: "1px solid", borderColor: "line.main" }}
    >
      {sums.map((header) => {
        const isTitle = header.column.columnDef.meta?.isTitle;
        return (
          <Line key={header.id} gap={1.5} sx={isTitle ? { flex: "1 0 100%" } : {}}>
            {!isTitle && (
              <Box component="span" sx={{ color: "text.tertiary", fontWeight: 450 }}>
                {headOf(header.column)}
              </Box>
            )}
            <div className="num">{renderFoot(header)}</div>
          </Line>
        );
      })}
    </Line>
  );
}

/** Loaded with the first long list. */
const NearCards = lazy(async () => ({ default: (await import("./paging/NearRows.tsx")).NearCards }));
const LIST = { m: 0, p: 0, listStyle: "none" } as const;
/** Height of a card before it is loaded. */
const CARD_PX = 126;

/** Sorts the cards, which have no column headers to click. */
function CardSort<Row extends RowData>({ table }: { table: Table<Row> }) {
  const { t } = useTranslation();
  const sorted = table.state.sorting[0];
  const options = table.getCenterVisibleLeafColumns().filter((column) => column.getCanSort());
  if (!sorted || options.length === 0) return null;
  const { id, desc } = sorted;
  const direction = t(desc ? "components.table.descending" : "components.table.ascending");
  return (
    <Line sx={{ px: 3, py: 2, borderBottom: "1px solid", borderColor: "line.faint", fontSize: 12.5 }}>
      <Select
        size="small"
        displayEmpty
        value={options.some((column) => column.id === id) ? id : ""}
        onChange={(event) => table.setSorting([{ id: event.target.value, desc }])}
        renderValue={(chosen) => {
          const column = options.find((option) => option.id === chosen);
          return column ? headOf(column) : t("components.table.sortBy");
        }}
        inputProps={{ "aria-label": t("components.table.sortBy") }}
        sx={{ flex: 1 }}
      >
        {options.map((column) => (
          <MenuItem key={column.id} value={column.id}>
            {headOf(column)}
          </MenuItem>
        ))}
      </Select>
      <IconButton aria-label={direction} onClick={() => table.setSorting([{ id, desc: !desc }])}>
        {desc ? <ArrowDownward /> : <ArrowUpward />}
      </IconButton>
    </Line>
  );
}

type CardProps<Row extends RowData> = {
  row: RowOf<Row>;
  /** Attributes of a card that is one of many. */
  place?: object;
} & ViewProps<Row>;

function Card<Row extends RowData>({ row, place, ...props }: CardProps<Row>) {
  const { t } = useTranslation();
  const { card, detail, rowName, isDim, onOpen } = props;
  const isOpen = row.getIsExpanded();
  const cells = row.getCenterVisibleCells();
  const title = cells.find(({ column }) => column.columnDef.meta?.isTitle);
  const { [CONTROLS.select]: select, [CONTROLS.actions]: actions } = row.getVisibleCellsByColumnId();
  // Where there are actions, opening the row is one of them.
  const opens = onOpen !== undefined && !detail && !actions;
  const expands = detail !== undefined || (card !== undefined && !opens);
  return (
    <Box
      component="li"
      data-row={row.id}
      {...place}
      sx={{
        p: 3,
        // The browser skips the layout of cards outside the viewport.
        ...(!place && { contentVisibility: "auto", containIntrinsicSize: "auto 110px" }),
        // Not "& + &": dimmed cards have a different class.
        "li + &": { borderTop: "1px solid", borderColor: "line.faint" },
        ...(isDim?.(row.original) && { color: "text.tertiary" }),
      }}
    >
      <Line gap={2}>
        {renderCell(select)}
        <Box sx={{ flex: 1, minWidth: 0, fontWeight: 600, overflowWrap: "anywhere" }}>
          {title ? renderCell(title) : rowName(row.original)}
        </Box>
        {renderCell(actions)}
      </Line>
      {card && <Box sx={{ mt: 1.5 }}>{card(row.original)}</Box>}
      {(!card || isOpen) && <Fields cells={cells.filter((cell) => cell !== title)} />}
      {expands && (
        <Button
          size="small"
          variant="text"
          aria-expanded={isOpen}
          endIcon={<ExpandMore sx={isOpen ? { transform: "rotate(180deg)" } : {}} />}
          onClick={() => row.toggleExpanded()}
          sx={{ mt: 1.5, ml: -2 }}
        >
          {t("components.table.details")}
        </Button>
      )}
      {opens && (
        <Button size="small" variant="text" onClick={() => onOpen(row.original)} sx={{ mt: 1.5, ml: -2 }}>
          {t("components.table.details")}
        </Button>
      )}
      {isOpen && detail?.(row.original)}
    </Box>
  );
}

/** Every column as a line: its header and its cell. */
function Fields<Row extends RowData>({ cells }: { cells: ReturnType<RowOf<Row>["getCenterVisibleCells"]> }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        mt: 2,
        display: "grid",
        gridTemplateColumns: "minmax(84px, auto) minmax(0, 1fr)",
        columnGap: 3,
        rowGap: 1.25,
        fontSize: 12.5,
      }}
    >
      {cells.map((cell) => (
        <Box key={cell.column.id} sx={{ display: "contents" }}>
          <Box component="dt" sx={{ color: "text.tertiary" }}>
            {headOf(cell.column)}
          </Box>
          {/* Outlines reach a pixel beyond what they surround. */}
          <Box component="dd" sx={{ m: "-1px", p: "1px", minWidth: 0, overflow: "hidden", textOverflow: "ellipsis" }}>
            {renderCell(cell)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
