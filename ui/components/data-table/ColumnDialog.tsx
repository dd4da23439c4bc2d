import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { ColumnChoice } from "./useColumnChoice.ts";

type Props<Row> = { choice: ColumnChoice<Row>; onClose: () => void };

/** Chooses the columns of a table. */
export function ColumnDialog<Row>({ choice, onClose }: Props<Row>) {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} maxWidth="xs" fullWidth>
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620 }}>
        {t("components.table.columns")}
      </DialogTitle>
      <DialogContent sx={{ display: "grid", gridTemplateColumns: "1fr 1fr" }}>
        {choice.all.map(({ key, head, isTitle }) => (
          <FormControlLabel
            key={key}
            label={head}
            control={
              <Checkbox
                checked={isTitle || choice.isShown(key)}
                disabled={isTitle ?? false}
                onChange={() => choice.toggle(key)}
              />
            }
          />
        ))}
      </DialogContent>
      <DialogActions>
        <Button variant="text" onClick={choice.showAll}>
          {t("components.table.selectAllColumns")}
        </Button>
        <Button variant="text" onClick={choice.reset}>
          {t("components.table.resetColumns")}
        </Button>
        <Button variant="contained" color="primary" onClick={onClose}>
          {t("components.done")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
