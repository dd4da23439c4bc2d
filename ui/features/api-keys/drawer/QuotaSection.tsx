import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_LIMITS } from "../../../../src/domain/api-keys/api-key-rules.ts";
import { EXHAUSTED, EXPIRED, type Token } from "../../../api/api-keys/api-key.ts";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Field } from "../../../components/layout.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import type { ApiKeyForm, TokenFaults } from "./api-key-form.ts";

const QUOTA_PICKS = [1, 10, 50, 100, 500];
const PERIODS = ["day", "week", "month"] as const;

type QuotaSectionProps = Readonly<{
  /** Null: a new key. */
  token: Token | null;
  form: ApiKeyForm;
  faults: TokenFaults;
  change: (fields: Partial<ApiKeyForm>) => void;
}>;

/** The quota of a key, and its periodic refill. */
export const QuotaSection = ({ token, form, faults, change }: QuotaSectionProps) => {
  const { t, i18n } = useTranslation();
  const id = useId();
  const renews = token !== null && token.budget_period !== "" && token.budget_period === form.budgetPeriod;
  return (
    <Section title={t("apiKeys.form.limits")}>
      <SwitchRow
        label={t("apiKeys.form.unlimited")}
        hint={t("apiKeys.form.unlimitedHint")}
        isOn={form.unlimited}
        onChange={(unlimited) => change({ unlimited })}
      />
      {!form.unlimited && (
        <>
          <Field
            label={t("apiKeys.form.quota")}
            htmlFor={`${id}quota`}
            error={faults.quota && t(`apiKeys.form.errors.${faults.quota}`, TOKEN_LIMITS)}
            hint={t(form.budgetPeriod === "" ? "apiKeys.form.quotaHint" : "apiKeys.form.budgetHint")}
          >
            <QuotaInput
              id={`${id}quota`}
              value={form.quota}
              onChange={(quota) => change({ quota })}
              hasError={faults.quota !== undefined}
              picks={QUOTA_PICKS}
            />
          </Field>
          <Field
            label={t("apiKeys.form.budgetPeriod")}
            hint={renews && t("apiKeys.renews", { time: exactTime(token.budget_renews_at, i18n.language) })}
          >
            <Select
              fullWidth
              displayEmpty
              value={form.budgetPeriod}
              onChange={(event) => change({ budgetPeriod: event.target.value })}
              inputProps={{ "aria-label": t("apiKeys.form.budgetPeriod") }}
            >
              <MenuItem value="">{t("apiKeys.form.period.never")}</MenuItem>
              {PERIODS.map((period) => (
                <MenuItem key={period} value={period}>
                  {t(`apiKeys.form.period.${period}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
        </>
      )}
      {(token?.status === EXPIRED || token?.status === EXHAUSTED) && (
        <Box
          sx={{ fontSize: 12.5, color: "tone.warn.text", bgcolor: "tone.warn.tint", borderRadius: "6px", px: 3, py: 2 }}
        >
          {t("apiKeys.form.statusNote")}
        </Box>
      )}
    </Section>
  );
};

type LimitsSectionProps = Readonly<{
  form: ApiKeyForm;
  faults: TokenFaults;
  change: (fields: Partial<ApiKeyForm>) => void;
}>;

/** The rate limits of a key, and strict mode. */
export const LimitsSection = ({ form, faults, change }: LimitsSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const rate = (field: "requestsPerMinute" | "tokensPerMinute", hint?: string) => (
    <Field
      label={t(`apiKeys.form.${field}`)}
      htmlFor={`${id}${field}`}
      error={faults[field] && t(`apiKeys.form.errors.${faults[field]}`, TOKEN_LIMITS)}
      hint={hint}
    >
      <OutlinedInput
        id={`${id}${field}`}
        value={form[field]}
        error={faults[field] !== undefined}
        placeholder={t("apiKeys.form.ratePlaceholder")}
        inputProps={{ inputMode: "numeric" }}
        sx={{ width: 200 }}
        onChange={(event) => change({ [field]: event.target.value })}
      />
    </Field>
  );
  return (
    <Section title={t("apiKeys.form.rates")}>
      {rate("requestsPerMinute")}
      {rate("tokensPerMinute", t("apiKeys.form.tokensPerMinuteHint"))}
      <SwitchRow
        label={t("apiKeys.form.strict")}
        hint={t("apiKeys.form.strictHint")}
        isOn={form.strict}
        onChange={(strict) => change({ strict })}
      />
    </Section>
  );
};
