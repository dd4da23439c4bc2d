import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "../../components/layout.tsx";
import { Section } from "../../components/SideDrawer.tsx";
import { SwitchRow } from "../../components/SwitchRow.tsx";
import type { TokenFaults, TokenForm } from "./token-form.ts";

type LimitsSectionProps = Readonly<{
  form: TokenForm;
  faults: TokenFaults;
  change: (fields: Partial<TokenForm>) => void;
}>;

/** How fast a key may go, and whether it rather fails than lose something. */
export const LimitsSection = ({ form, faults, change }: LimitsSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const rate = (field: "requestsPerMinute" | "tokensPerMinute", hint?: string) => (
    <Field
      label={t(`tokens.form.${field}`)}
      htmlFor={`${id}${field}`}
      error={faults[field] && t(`tokens.form.errors.${faults[field]}`)}
      hint={hint}
    >
      <OutlinedInput
        id={`${id}${field}`}
        value={form[field]}
        error={faults[field] !== undefined}
        placeholder={t("tokens.form.ratePlaceholder")}
        inputProps={{ inputMode: "numeric" }}
        sx={{ width: 200 }}
        onChange={(event) => change({ [field]: event.target.value })}
      />
    </Field>
  );
  return (
    <Section title={t("tokens.form.rates")}>
      {rate("requestsPerMinute")}
      {rate("tokensPerMinute", t("tokens.form.tokensPerMinuteHint"))}
      <SwitchRow
        label={t("tokens.form.strict")}
        hint={t("tokens.form.strictHint")}
        isOn={form.strict}
        onChange={(strict) => change({ strict })}
      />
    </Section>
  );
};
