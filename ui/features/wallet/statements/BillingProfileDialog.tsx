import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Party } from "../../../../db/schema/billing/statements.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field } from "../../../components/layout.tsx";
import { WALLET_KEY } from "../wallet-calls.ts";
import { billingProfile, saveBillingProfile } from "./statement-calls.ts";

/** Who the account's next statements are made out to. */
export const BillingProfileDialog = ({ onClose }: { onClose: () => void }) => {
  const { data, error } = useQuery(billingProfile);
  if (error) {
    notifyError(error);
    onClose();
  }
  return data ? <ProfileForm profile={data} onClose={onClose} /> : null;
};

const FIELDS = [
  { key: "name", max: 200 },
  { key: "address", max: 1000 },
  { key: "taxId", max: 100 },
] as const;

const ProfileForm = ({ profile, onClose }: { profile: Party; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { form, change, isSaving, submit } = useCheckedForm<Party>({
    initial: profile,
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
    </FormDialog>
  );
};
