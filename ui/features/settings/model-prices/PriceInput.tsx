import InputBase from "@mui/material/InputBase";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { priceFormOf, readPrice, rowOfForm, typed } from "./price-form.ts";
import type { PriceRow } from "./price-maps.ts";

type PriceInputProps = Readonly<{
  row: PriceRow;
  field: "inputPrice" | "outputPrice";
  onApply: (row: PriceRow) => void;
}>;

/** Dollars per million tokens, typed in the row of a model; what is no price is put back when the field is left. */
export const PriceInput = ({ row, field, onApply }: PriceInputProps) => {
  const { t } = useTranslation();
  const [text, setText] = useState<string | null>(null);
  const form = priceFormOf(row);
  const isWrong = text !== null && text.trim() !== "" && readPrice(text) === null;
  const set = (next: string) => {
    setText(next);
    if (readPrice(next) === null && (next.trim() !== "" || field === "inputPrice")) return;
    onApply(rowOfForm({ ...typed(form, field, next), billing: "per_token" }));
  };
  return (
    <InputBase
      value={text ?? form[field]}
      placeholder="–"
      error={isWrong}
      onChange={({ target }) => set(target.value)}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
      onBlur={() => setText(null)}
      startAdornment="$"
      inputProps={{
        "aria-label": t("settings.pricing.priceOf", { price: t(`settings.pricing.form.${field}`), name: row.name }),
        inputMode: "decimal",
        className: "num",
        style: { textAlign: "right", padding: 0 },
      }}
      sx={{
        ...{ width: 104, height: 28, px: 1.5, fontSize: 13, borderRadius: "5px", color: "text.primary" },
        ...{ border: "1px solid", borderColor: isWrong ? "tone.bad.solid" : "line.main", bgcolor: "surface.paper" },
        "&:hover": { borderColor: "line.strong" },
        "&.Mui-focused": { borderColor: "primary.main" },
      }}
    />
  );
};
