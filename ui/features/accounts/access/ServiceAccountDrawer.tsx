import Box from "@mui/material/Box";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Field } from "../../../components/layout.tsx";
import { createServiceAccount, type ServiceAccount, serviceAccounts, updateServiceAccount } from "./access-calls.ts";
import { RightsMatrix } from "./RightsMatrix.tsx";

type ServiceAccountDrawerProps = Readonly<{
  /** Null: a new one. */
  account: ServiceAccount | null;
  onClose: () => void;
  /** Called with the token of a new account. */
  onCreated: (name: string, token: string) => void;
}>;

/** `expires`: null never, undefined no valid time. */
type Form = { name: string; rights: readonly Right[]; expires: number | null | undefined };

const LONGEST_NAME = 40;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Creates a service account, or changes its rights and expiry. */
export const ServiceAccountDrawer = ({ account, onClose, onCreated }: ServiceAccountDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const send = async ({ name, rights, expires }: Form) => {
    const fields = { rights: [...rights], expires_time: expires ?? 0 };
    if (account) {
      await updateServiceAccount(account.id, fields);
      notifyDone(t("access.accounts.saved", { name: account.name }));
    } else {
      const created = await createServiceAccount({ name: name.trim(), ...fields });
      onCreated(created.name, created.token);
    }
    void client.invalidateQueries(serviceAccounts);
    onClose();
  };
  const state = useCheckedForm({
    initial: {
      name: account?.name ?? "",
      rights: account?.rights ?? [],
      expires: account && account.expires_time > 0 ? account.expires_time : null,
    } satisfies Form,
    check: ({ name, rights, expires }: Form) => ({
      ...(!account && !NAME.test(name.trim()) && { name: "name" as const }),
      ...(rights.length === 0 && { rights: "rights" as const }),
      ...(expires === undefined && { expires: "expires" as const }),
    }),
    send,
  });
  const { form, change, faults } = state;
  return (
    <FormDrawer
      state={state}
      title={account ? t("access.accounts.editTitle", { name: account.name }) : t("access.accounts.add")}
      action={t(account ? "access.accounts.save" : "access.accounts.add")}
      isNew={account === null}
      onClose={onClose}
    >
      <Section title={t("access.accounts.general")}>
        {account === null && (
          <LabelledInput
            label={t("access.accounts.columns.name")}
            hint={t("access.accounts.nameHint")}
            error={faults.name && t("access.accounts.nameHint")}
            name="service-account-name"
            maxCharacters={LONGEST_NAME}
            value={form.name}
            onChange={(name) => change({ name })}
          />
        )}
        <Field
          label={t("access.accounts.columns.expires")}
          hint={t("access.accounts.expiresHint")}
          error={faults.expires && t("access.accounts.expiresInvalid")}
        >
          <DateTimeInput
            label={t("access.accounts.columns.expires")}
            value={form.expires ?? null}
            hasError={faults.expires !== undefined}
            onChange={(expires) => change({ expires })}
          />
        </Field>
      </Section>
      <Section title={t("access.rights.title")} hint={t("access.rights.hint")}>
        {faults.rights && (
          <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
            {t("access.rights.required")}
          </Box>
        )}
        <RightsMatrix value={form.rights} onChange={(rights) => change({ rights })} />
      </Section>
    </FormDrawer>
  );
};
