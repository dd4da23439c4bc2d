import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Skeleton from "@mui/material/Skeleton";
import { useTranslation } from "react-i18next";
import { Col, Row as Line } from "../layout.tsx";
import { CardSort } from "./CardSort.tsx";
import { RowMenu } from "./RowMenu.tsx";
import type { ViewProps } from "./view.ts";

const SKELETON_CARDS = 5;

/** The table on a phone: a card a row, every column reachable. */
export function CardView<Row>(props: ViewProps<Row>) {
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
      {props.sort && props.onSort && <CardSort columns={props.columns} sort={props.sort} onSort={props.onSort} />}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
        {props.rows.map((row) => (
          <Card key={props.rowId(row)} row={row} {...props} />
        ))}
      </Box>
    </>
  );
}

function Card<Row>({ row, ...props }: { row: Row } & ViewProps<Row>) {
  const { t } = useTranslation();
  const { columns, rowId, rowName, selection, detail, actions, openId, isDim, toggleDetail, toggleSelected } = props;
  const id = rowId(row);
  const name = rowName(row);
  const isOpen = openId === id;
  const title = columns.find(({ isTitle }) => isTitle);
  const rest = columns.filter((column) => column !== title);
  const canOpen = detail !== undefined || props.card !== undefined;
  return (
    <Box
      component="li"
      data-row={id}
      sx={{
        p: 3,
        // Cards far from the window are not laid out.
        contentVisibility: "auto",
        containIntrinsicSize: "auto 110px",
        // Not "& + &": a dim card has another class than one that is not.
        "li + &": { borderTop: "1px solid", borderColor: "line.faint" },
        ...(isDim?.(row) && { color: "text.tertiary" }),
      }}
    >
      <Line gap={2}>
        {selection && (
          <Checkbox
            checked={selection.selected.has(id)}
            onChange={() => toggleSelected(id)}
            slotProps={{ input: { "aria-label": t("components.table.selectRow", { name }) } }}
          />
        )}
        <Box sx={{ flex: 1, minWidth: 0, fontWeight: 600, overflowWrap: "anywhere" }}>
          {title ? title.cell(row) : name}
        </Box>
        {actions && <RowMenu actions={actions(row)} name={name} />}
      </Line>
      {props.card && <Box sx={{ mt: 1.5 }}>{props.card(row)}</Box>}
      {(!props.card || isOpen) && <Fields row={row} columns={rest} />}
      {canOpen && (
        <Button
          size="small"
          variant="text"
          aria-expanded={isOpen}
          endIcon={<ExpandMore sx={isOpen ? { transform: "rotate(180deg)" } : {}} />}
          onClick={() => toggleDetail(id)}
          sx={{ mt: 1.5, ml: -2 }}
        >
          {t("components.table.details")}
        </Button>
      )}
      {isOpen && detail?.(row)}
    </Box>
  );
}

/** Every column as a line: its head, its cell. */
function Fields<Row>({ row, columns }: { row: Row; columns: ViewProps<Row>["columns"] }) {
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
      {columns.map(({ key, head, cell }) => (
        <Box key={key} sx={{ display: "contents" }}>
          <Box component="dt" sx={{ color: "text.tertiary" }}>
            {head}
          </Box>
          {/* Outlines reach a pixel beyond what they surround. */}
          <Box component="dd" sx={{ m: "-1px", p: "1px", minWidth: 0, overflow: "hidden", textOverflow: "ellipsis" }}>
            {cell(row)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
