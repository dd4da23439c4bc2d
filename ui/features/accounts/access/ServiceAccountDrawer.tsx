import { useTranslation } from "react-i18next";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { createServiceAccount, type ServiceAccount, serviceAccounts, updateServiceAccount } from "./access-calls.ts";
import { RightsMatrix } from "./RightsMatrix.tsx";

type ServiceAccountDrawerProps = Readonly<{
  /** Null: a new one. */
  account: ServiceAccount | null;
  onClose: () => void;
  /** Called with the token of a new account. */
  onCreated: (name: string, token: string) => void;
}>;

/** `expires`: epoch seconds; 0 never, null no valid time. */
type Form = { name: string; rights: readonly Right[]; expires: number | null };

const LONGEST_NAME = 40;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Creates a service account, or changes its rights and expiry. */
export const ServiceAccountDrawer = ({ account, onClose, onCreated }: ServiceAccountDrawerProps) => {
  const { t } = useTranslation();
  const save = async ({ name, rights, expires }: Form) => {
    const fields = { rights: [...rights], expires_time: expires ?? 0 };
    if (account) {
      await updateServiceAccount(account.id, fields);
      return t("access.accounts.saved", { name: account.name });
    }
    const created = await createServiceAccount({ name: name.trim(), ...fields });
    onCreated(created.name, created.token);
  };
  return (
    <ResourceForm<Form>
      title={account ? t("access.accounts.editTitle", { name: account.name }) : t("access.accounts.add")}
      action={t(account ? "access.accounts.save" : "access.accounts.add")}
      isNew={account === null}
      text={(name) => `access.accounts.${name}`}
      initial={{
        name: account?.name ?? "",
        rights: account?.rights ?? [],
        expires: account?.expires_time ?? 0,
      }}
      check={({ name, rights, expires }) => ({
        name: account || NAME.test(name.trim()) ? undefined : "nameHint",
        rights: rights.length === 0 ? "rights" : undefined,
        expires: expires === null ? "expiresInvalid" : undefined,
      })}
      fault={(fault) => t(`access.accounts.${fault}`)}
      save={save}
      reload={[serviceAccounts]}
      sections={({ rights }, change, faults) => [
        {
          title: t("access.accounts.general"),
          fields: [
            account === null && {
              kind: "text",
              field: "name",
              label: t("access.accounts.columns.name"),
              hint: t("access.accounts.nameHint"),
              maxCharacters: LONGEST_NAME,
            },
            {
              kind: "time",
              field: "expires",
              label: t("access.accounts.columns.expires"),
              none: { value: 0, text: t("components.neverExpires") },
            },
          ],
        },
        {
          title: t("access.rights.title"),
          hint: t("access.rights.hint"),
          error: faults.rights && t("access.rights.required"),
          fields: [<RightsMatrix key="rights" value={rights} onChange={(next) => change({ rights: next })} />],
        },
      ]}
      onClose={onClose}
    />
  );
};
