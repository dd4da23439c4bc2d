import Comfortable from "@mui/icons-material/DensityMediumOutlined";
import Compact from "@mui/icons-material/DensitySmallOutlined";
import Columns from "@mui/icons-material/ViewColumnOutlined";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usePhone } from "../usePhone.ts";
import { ColumnDialog } from "./ColumnDialog.tsx";
import { useDensity } from "./density.ts";
import type { ColumnChoice } from "./useColumnChoice.ts";

/** The buttons for the height of rows and the choice of columns, among a table's tools. */
export const ColumnTools = <Row,>({ columns }: { columns: ColumnChoice<Row> }) => {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      {!usePhone() && <DensityButton />}
      <Tooltip title={t("components.table.columns")}>
        <IconButton aria-label={t("components.table.columns")} onClick={() => setChoosing(true)}>
          <Columns />
        </IconButton>
      </Tooltip>
      {isChoosing && <ColumnDialog choice={columns} onClose={() => setChoosing(false)} />}
    </>
  );
};

/** Cards of a phone have no rows. */
const DensityButton = () => {
  const { t } = useTranslation();
  const [isCompact, setCompact] = useDensity();
  const next = t(isCompact ? "components.table.comfortable" : "components.table.compact");
  return (
    <Tooltip title={next}>
      <IconButton aria-label={next} onClick={() => setCompact(!isCompact)}>
        {isCompact ? <Comfortable /> : <Compact />}
      </IconButton>
    </Tooltip>
  );
};
