import Comfortable from "@mui/icons-material/DensityMediumOutlined";
import Compact from "@mui/icons-material/DensitySmallOutlined";
import Columns from "@mui/icons-material/ViewColumnOutlined";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import IconButton from "@mui/material/IconButton";
import type { RowData } from "@tanstack/react-table";
import { useAtom } from "jotai";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { storedAtom } from "../../state/stored-atom.ts";
import { usePhone } from "../layout.tsx";
import { Tip } from "../tip/Tip.tsx";
import { headOf } from "./table.ts";
import type { TableModel } from "./use-data-table.ts";

/** Whether tables use compact rows; one setting for all tables on this device. */
export const isCompactAtom = storedAtom("table-density", {
  parse: (text) => text === "compact",
  print: (isCompact) => (isCompact ? "compact" : "comfortable"),
});

type Props<Row extends RowData> = Readonly<{ model: TableModel<Row> }>;

/** The buttons for row height and visible columns in a table's toolbar. */
export const ColumnTools = <Row extends RowData>({ model }: Props<Row>) => {
  const { t } = useTranslation();
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      {!usePhone() && <DensityButton />}
      <Tip title={t("components.table.columns")}>
        <IconButton aria-label={t("components.table.columns")} onClick={() => setChoosing(true)}>
          <Columns />
        </IconButton>
      </Tip>
      {isChoosing && <ColumnDialog model={model} onClose={() => setChoosing(false)} />}
    </>
  );
};

/** Cards have no row height. */
const DensityButton = () => {
  const { t } = useTranslation();
  const [isCompact, setCompact] = useAtom(isCompactAtom);
  const next = t(isCompact ? "components.table.comfortable" : "components.table.compact");
  return (
    <Tip title={next}>
      <IconButton aria-label={next} onClick={() => setCompact(!isCompact)}>
        {isCompact ? <Comfortable /> : <Compact />}
      </IconButton>
    </Tip>
  );
};

/** Chooses the columns of a table. */
const ColumnDialog = <Row extends RowData>({ model, onClose }: Props<Row> & { onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const { table, resetColumns } = model;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620 }}>
        {t("components.table.columns")}
      </DialogTitle>
      <DialogContent sx={{ display: "grid", gridTemplateColumns: "1fr 1fr" }}>
        {table.getCenterLeafColumns().map((column) => (
          <FormControlLabel
            key={column.id}
            label={headOf(column)}
            control={
              <Checkbox
                checked={column.getIsVisible()}
                disabled={!column.getCanHide()}
                onChange={() => column.toggleVisibility()}
              />
            }
          />
        ))}
      </DialogContent>
      <DialogActions>
        <Button variant="text" onClick={() => table.toggleAllColumnsVisible(true)}>
          {t("components.table.selectAllColumns")}
        </Button>
        <Button variant="text" onClick={resetColumns}>
          {t("components.table.resetColumns")}
        </Button>
        <Button variant="contained" color="primary" onClick={onClose}>
          {t("components.done")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
