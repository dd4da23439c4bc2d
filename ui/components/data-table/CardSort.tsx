import ArrowDownward from "@mui/icons-material/ArrowDownward";
import ArrowUpward from "@mui/icons-material/ArrowUpward";
import IconButton from "@mui/material/IconButton";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useTranslation } from "react-i18next";
import { Row } from "../layout.tsx";
import type { Column, Sort } from "./column.ts";

type Props<Item> = Readonly<{ columns: readonly Column<Item>[]; sort: Sort; onSort: (sort: Sort) => void }>;

/** By what cards are sorted: they have no heads to press. */
export function CardSort<Item>({ columns, sort, onSort }: Props<Item>) {
  const { t } = useTranslation();
  const { key, isDescending } = sort;
  const options = columns.filter(({ sortKey }) => sortKey !== undefined);
  if (options.length === 0) return null;
  const direction = t(isDescending ? "components.table.descending" : "components.table.ascending");
  return (
    <Row sx={{ px: 3, py: 2, borderBottom: "1px solid", borderColor: "line.faint", fontSize: 12.5 }}>
      <Select
        size="small"
        displayEmpty
        value={options.some(({ sortKey }) => sortKey === key) ? key : ""}
        onChange={(event) => onSort({ key: event.target.value, isDescending })}
        renderValue={(chosen) =>
          options.find(({ sortKey }) => sortKey === chosen)?.head ?? t("components.table.sortBy")
        }
        inputProps={{ "aria-label": t("components.table.sortBy") }}
        sx={{ flex: 1 }}
      >
        {options.map(({ sortKey, head }) => (
          <MenuItem key={sortKey} value={sortKey ?? ""}>
            {head}
          </MenuItem>
        ))}
      </Select>
      <IconButton aria-label={direction} onClick={() => onSort({ key, isDescending: !isDescending })}>
        {isDescending ? <ArrowDownward /> : <ArrowUpward />}
      </IconButton>
    </Row>
  );
}
