import ChevronRight from "@mui/icons-material/ChevronRight";
import ExpandMore from "@mui/icons-material/ExpandMore";
import MoreHoriz from "@mui/icons-material/MoreHoriz";
import Box from "@mui/material/Box";
import Checkbox from "@mui/material/Checkbox";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import type { RowData } from "@tanstack/react-table";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOnceOpened } from "../../once-opened.ts";
import type { RowAction } from "../column.ts";
import type { ColumnOf } from "../table.ts";

/** The columns that every table adds to the page's own, at its edges. */
export const CONTROLS = { detail: "$detail", select: "$select", actions: "$actions" } as const;
export const PINNING = { start: [CONTROLS.detail, CONTROLS.select], end: [CONTROLS.actions] };

const DETAIL_PX = 36;
const SELECTION_PX = 40;
/** The width of the column of menus, in pixels. */
export const ACTIONS_PX = 48;

type Options<Row> = Readonly<{
  rowName: (row: Row) => string;
  hasDetail: boolean;
  isSelectable: boolean;
  actions?: ((row: Row) => readonly RowAction[]) | undefined;
  t: TFunction;
}>;

/** The expand arrow, the checkbox and the action menu, as far as the table uses them. */
export function controlColumns<Row extends RowData>(options: Options<Row>): ColumnOf<Row>[] {
  const { rowName, actions, t } = options;
  const detail: ColumnOf<Row> = {
    id: CONTROLS.detail,
    size: DETAIL_PX,
    enableHiding: false,
    header: () => <ReadAloud text={t("components.table.details")} />,
    cell: ({ row }) => (
      <IconButton
        size="small"
        aria-expanded={row.getIsExpanded()}
        aria-label={t("components.table.detailsOf", { name: rowName(row.original) })}
        onClick={() => row.toggleExpanded()}
      >
        {row.getIsExpanded() ? <ExpandMore /> : <ChevronRight />}
      </IconButton>
    ),
  };
  const select: ColumnOf<Row> = {
    id: CONTROLS.select,
    size: SELECTION_PX,
    enableHiding: false,
    header: ({ table }) => (
      <Checkbox
        checked={table.getIsAllRowsSelected()}
        indeterminate={!table.getIsAllRowsSelected() && table.getRowModel().rows.some((row) => row.getIsSelected())}
        onChange={() => table.toggleAllRowsSelected()}
        slotProps={{ input: { "aria-label": t("components.table.selectPage") } }}
      />
    ),
    cell: ({ row }) => (
      <Checkbox
        checked={row.getIsSelected()}
        onChange={() => row.toggleSelected()}
        slotProps={{ input: { "aria-label": t("components.table.selectRow", { name: rowName(row.original) }) } }}
      />
    ),
  };
  const menu: ColumnOf<Row> = {
    id: CONTROLS.actions,
    size: ACTIONS_PX,
    enableHiding: false,
    meta: { align: "right" },
    header: () => <ReadAloud text={t("components.table.actions")} />,
    cell: ({ row }) => <RowMenu actions={actions?.(row.original) ?? []} name={rowName(row.original)} />,
  };
  return [
    ...(options.hasDetail ? [detail] : []),
    ...(options.isSelectable ? [select] : []),
    ...(actions ? [menu] : []),
  ];
}

const ReadAloud = ({ text }: { text: string }) => (
  <Box component="span" sx={{ position: "absolute", clip: "rect(0 0 0 0)" }}>
    {text}
  </Box>
);

/** The actions of one row. */
const RowMenu = ({ actions, name }: { actions: readonly RowAction[]; name: string }) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  return (
    <>
      <IconButton
        size="small"
        aria-label={t("components.table.actionsFor", { name })}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          event.stopPropagation();
          setAnchor(event.currentTarget);
        }}
      >
        <MoreHoriz />
      </IconButton>
      {wasOpened && (
        <Menu
          open={anchor !== null}
          anchorEl={anchor}
          onClose={() => setAnchor(null)}
          onClick={(event) => event.stopPropagation()}
          anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
          transformOrigin={{ vertical: "top", horizontal: "right" }}
        >
          {actions.map(({ label, icon, onSelect, isDangerous, isDisabled }) => (
            <MenuItem
              key={label}
              disabled={isDisabled ?? false}
              sx={isDangerous ? { color: "tone.bad.text" } : {}}
              onClick={() => {
                setAnchor(null);
                onSelect();
              }}
            >
              {icon && <ListItemIcon sx={{ color: "inherit" }}>{icon}</ListItemIcon>}
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
};
