import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { COUNTRIES } from "../../../../src/domain/wallet/payments/tax/country-rules.ts";
import type { BillingProfile } from "../../../../src/domain/wallet/statements/documents.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { WALLET_KEY } from "../wallet-calls.ts";
import { billingProfile, saveBillingProfile } from "./statement-calls.ts";

/** Who the account's next statements are made out to. */
export const BillingProfileDialog = ({ onClose }: { onClose: () => void }) => {
  const { data, error } = useQuery(billingProfile);
  useEffect(() => {
    if (!error) return;
    notifyError(error);
    onClose();
  }, [error, onClose]);
  return data ? <ProfileForm profile={data} onClose={onClose} /> : null;
};

const FIELDS = [
  { key: "name", max: 200 },
  { key: "address", max: 1000 },
  { key: "taxId", max: 100 },
] as const;

const ProfileForm = ({ profile, onClose }: { profile: BillingProfile; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const { form, change, isSaving, problem, submit } = useCheckedForm<BillingProfile>({
    initial: profile,
    rejection: "inline",
    send: async (values) => {
      await saveBillingProfile(values);
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("wallet.statements.profile.saved"));
      onClose();
    },
  });
  return (
    <FormDialog
      title={t("wallet.statements.profile.title")}
      action={t("wallet.statements.profile.save")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      {FIELDS.map(({ key, max }, index) => (
        <Field
          key={key}
          label={t(`wallet.statements.profile.${key}`)}
          htmlFor={`billing-${key}`}
          {...(key === "name" && { hint: t("wallet.statements.profile.hint") })}
          {...(key === "taxId" && { error: problem })}
        >
          <OutlinedInput
            id={`billing-${key}`}
            fullWidth
            autoFocus={index === 0}
            multiline={key === "address"}
            minRows={key === "address" ? 3 : 1}
            value={form[key]}
            onChange={(event) => change({ [key]: event.target.value })}
            inputProps={{ maxLength: max }}
          />
        </Field>
      ))}
      <Field label={t("wallet.statements.profile.country")} htmlFor="billing-country">
        <Select
          fullWidth
          displayEmpty
          value={form.country}
          onChange={(event) => change({ country: event.target.value })}
          inputProps={{ id: "billing-country", "aria-label": t("wallet.statements.profile.country") }}
        >
          <MenuItem value="">{t("wallet.statements.profile.noCountry")}</MenuItem>
          {countriesIn(i18n.language).map(({ code, name }) => (
            <MenuItem key={code} value={code}>
              {name}
            </MenuItem>
          ))}
        </Select>
      </Field>
    </FormDialog>
  );
};

/** Every country by its name in a language, in that language's order. */
function countriesIn(language: string): Readonly<{ code: string; name: string }>[] {
  const names = new Intl.DisplayNames([language], { type: "region" });
  return COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) =>
    a.name.localeCompare(b.name, language),
  );
}
