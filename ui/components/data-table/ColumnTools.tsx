import Columns from "@mui/icons-material/ViewColumnOutlined";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ColumnDialog } from "./ColumnDialog.tsx";
import type { ColumnChoice } from "./useColumnChoice.ts";

/** The button that opens the choice of columns, among a table's tools. */
export const ColumnTools = <Row,>({ columns }: { columns: ColumnChoice<Row> }) => {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <Tooltip title={t("components.table.columns")}>
        <IconButton aria-label={t("components.table.columns")} onClick={() => setChoosing(true)}>
          <Columns />
        </IconButton>
      </Tooltip>
      {isChoosing && <ColumnDialog choice={columns} onClose={() => setChoosing(false)} />}
    </>
  );
};
