import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";

import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { Col, Field } from "../../../components/layout.tsx";
import { checkPriceForm, type PriceField, type PriceForm, priceFormOf, rowOfForm, typed } from "./price-form.ts";
import type { PriceRow } from "./price-maps.ts";

type PriceDrawerProps = Readonly<{
  /** Without a name: a new model. */
  row: PriceRow;
  isTaken: (name: string) => boolean;
  onApply: (row: PriceRow) => void;
  onClose: () => void;
}>;

/** The price of one model, as ratios or in dollars; saved with the section. */
export const PriceDrawer = ({ row, isTaken, onApply, onClose }: PriceDrawerProps) => {
  const { t } = useTranslation();
  const id = useId();
  const isNew = row.name === "";
  const state = useCheckedForm({
    initial: priceFormOf(row),
    check: (form) => checkPriceForm(form, isNew ? isTaken : () => false),
    send: async (form) => {
      onApply(rowOfForm(form));
      onClose();
    },
  });
  const { form, change: setFields, faults } = state;
  const change = (field: PriceField) => (text: string) => {
    if (field !== "name" && text.trim() !== "" && !Number.isFinite(Number(text))) {
      notifyError(t("settings.pricing.errors.number"));
      return;
    }
    setFields(typed(form, field, text));
  };
  const input = (field: PriceField, unit: string) => {
    const fault = faults[field];
    return (
      <Field
        label={t(`settings.pricing.form.${field}`)}
        htmlFor={id + field}
        hint={t(`settings.pricing.hints.${field}`)}
        error={fault && t(`settings.pricing.errors.${fault}`)}
      >
        <OutlinedInput
          id={id + field}
          fullWidth
          value={form[field]}
          error={fault !== undefined}
          onChange={(event) => change(field)(event.target.value)}
          inputProps={{ inputMode: "decimal", className: "num" }}
          endAdornment={<InputAdornment position="end">{unit}</InputAdornment>}
        />
      </Field>
    );
  };
  return (
    <FormDrawer
      state={state}
      title={isNew ? t("settings.pricing.add") : row.name}
      action={t("settings.pricing.apply")}
      isNew={isNew}
      onClose={onClose}
    >
      <Col gap={4}>
        <Field
          label={t("settings.pricing.columns.name")}
          htmlFor={`${id}name`}
          error={faults.name && t(`settings.pricing.errors.${faults.name}`)}
        >
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            value={form.name}
            readOnly={!isNew}
            disabled={!isNew}
            autoFocus={isNew}
            error={faults.name !== undefined}
            onChange={(event) => change("name")(event.target.value)}
          />
        </Field>
        <Choice
          label={t("settings.pricing.columns.billing")}
          value={form.billing}
          choices={["per_token", "per_call"] as const}
          labelOf={(billing) => t(`settings.pricing.billing.${billing}`)}
          onChange={(billing) => setFields({ billing })}
        />
        {form.billing === "per_call" ? (
          <>
            {input("price", "USD")}
            {input("megapixelPrice", "USD")}
          </>
        ) : (
          <>
            <Choice
              label={t("settings.pricing.entryLabel")}
              value={form.entry}
              choices={["price", "ratio"] as const}
              labelOf={(entry) => t(`settings.pricing.entry.${entry}`)}
              onChange={(entry: PriceForm["entry"]) => setFields({ entry })}
            />
            {form.entry === "price" ? (
              <>
                {input("inputPrice", t("settings.pricing.perMillion"))}
                {input("outputPrice", t("settings.pricing.perMillion"))}
              </>
            ) : (
              <>
                {input("ratio", "×")}
                {input("completionRatio", "×")}
              </>
            )}
            {input("cacheRatio", "×")}
            <Box className="num" role="status" sx={{ fontSize: 12.5, color: "text.secondary" }}>
              {t("settings.pricing.summary", {
                input: form.inputPrice || "–",
                output: form.outputPrice || "–",
                ratio: form.ratio || "–",
                completion: form.completionRatio || "–",
              })}
            </Box>
          </>
        )}
      </Col>
    </FormDrawer>
  );
};

type ChoiceProps<Value extends string> = Readonly<{
  label: string;
  value: Value;
  choices: readonly Value[];
  labelOf: (value: Value) => string;
  onChange: (value: Value) => void;
}>;

const Choice = <Value extends string>({ label, value, choices, labelOf, onChange }: ChoiceProps<Value>) => (
  <Field label={label}>
    <ToggleButtonGroup
      exclusive
      size="small"
      value={value}
      aria-label={label}
      onChange={(_, next: Value | null) => next && onChange(next)}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice} value={choice}>
          {labelOf(choice)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  </Field>
);
