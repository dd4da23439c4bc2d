import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SSO_FIELDS, SSO_ICONS, SSO_TYPES, type SsoType } from "../../../../src/domain/accounts/identity/sso-rules.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Row } from "../../../components/layout.tsx";
import { ProviderIcon } from "../sign-in/ProviderIcon.tsx";
import { MappingRows } from "./MappingRows.tsx";
import { ProviderAddresses } from "./ProviderAddresses.tsx";
import { addProvider, changeProvider, type Provider, providers, reservedProvider } from "./provider-calls.ts";
import { bodyOfProvider, checkProviderForm, formOfProvider, type ProviderForm } from "./provider-form.ts";

type ProviderFieldsProps = Readonly<{
  type: SsoType;
  config: Readonly<Record<string, string>>;
  isMissing: (field: string) => boolean;
  onChange: (field: string, value: string) => void;
}>;

const CERTIFICATE_ROWS = 4;

/** The fields of a type of identity provider. */
const ProviderFields = ({ type, config, isMissing, onChange }: ProviderFieldsProps) => {
  const { t } = useTranslation();
  return Object.entries(SSO_FIELDS[type]).map(([field, { isOptional }]) => {
    const value = config[field] ?? "";
    const label = t(`identityProviders.fields.${field}`);
    const hint = t(`identityProviders.hints.${field}`);
    if (field === "trust_email" || field === "sign_out") {
      const set = (isOn: boolean) => onChange(field, isOn ? "true" : "");
      return <SwitchRow key={field} label={label} hint={hint} isOn={value === "true"} onChange={set} />;
    }
    return (
      <LabelledInput
        key={field}
        label={label}
        hint={hint}
        error={isMissing(field) ? t("identityProviders.required") : undefined}
        optional={isOptional ? t("identityProviders.optional") : undefined}
        name={`provider-${field}`}
        autoComplete="off"
        value={value}
        onChange={(text) => onChange(field, text)}
        {...(field === "certificate" && { multiline: true, minRows: CERTIFICATE_ROWS })}
      />
    );
  });
};

type ProviderDrawerProps = Readonly<{
  /** Null: a new one. */
  provider: Provider | null;
  onClose: () => void;
}>;

const LONGEST_NAME = 40;

/** Adds an identity provider, or edits one; its secret is replaced, never shown. */
export const ProviderDrawer = ({ provider, onClose }: ProviderDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const reserved = useQuery({ ...reservedProvider, enabled: provider === null }).data;
  const id = provider?.id ?? reserved;
  const save = async (form: ProviderForm) => {
    const request = bodyOfProvider(form);
    if (provider) await changeProvider(provider.id, request);
    else {
      await addProvider({ ...request, type: form.type, ...(reserved !== undefined && { id: reserved }) });
      client.removeQueries(reservedProvider);
    }
    return t("identityProviders.saved", { name: request.name });
  };
  return (
    <ResourceForm<ProviderForm>
      title={provider ? t("identityProviders.editTitle", { name: provider.name }) : t("identityProviders.add")}
      action={t(provider ? "identityProviders.save" : "identityProviders.add")}
      isNew={provider === null}
      text={(name) => `identityProviders.${name}`}
      initial={formOfProvider(provider)}
      check={checkProviderForm}
      fault={(fault) => t(fault === "domain" ? "identityProviders.domainsInvalid" : "identityProviders.required")}
      follow={({ type }) => (type ? { config: {} } : {})}
      save={save}
      reload={[providers]}
      sections={({ type, config, mappings }, change, faults: Readonly<Record<string, string>>) => [
        {
          title: t("identityProviders.general"),
          fields: [
            {
              kind: "text",
              field: "name",
              label: t("identityProviders.columns.name"),
              hint: true,
              maxCharacters: LONGEST_NAME,
            },
            {
              kind: "select",
              field: "icon",
              options: SSO_ICONS.map((icon) => [
                icon,
                <Row key={icon} gap={2}>
                  <ProviderIcon icon={icon} />
                  {t(`identityProviders.icons.${icon || "key"}`)}
                </Row>,
              ]),
            },
            { kind: "switch", field: "enabled", hint: true },
          ],
        },
        {
          title: t("identityProviders.connection"),
          hint: t("identityProviders.connectionHint"),
          fields: [
            provider === null && {
              kind: "select",
              field: "type",
              options: optionsOf(SSO_TYPES, (name) => t(`identityProviders.types.${name}`)),
            },
            id !== undefined && <ProviderAddresses key="addresses" type={type} id={id} />,
            <ProviderFields
              key="config"
              type={type}
              config={config}
              isMissing={(field) => faults[`config_${field}`] !== undefined}
              onChange={(field, value) => change({ config: { ...config, [field]: value } })}
            />,
            type === "oidc" && {
              kind: "secret",
              field: "secret",
              label: t("identityProviders.fields.secret"),
              hint: provider?.secret_set && t("identityProviders.stored"),
            },
          ],
        },
        {
          title: t("identityProviders.people"),
          fields: [
            {
              kind: "names",
              field: "domains",
              label: t("identityProviders.columns.domains"),
              hint: t("identityProviders.domainsHint"),
              placeholder: "example.com",
            },
            { kind: "switch", field: "enforced", hint: t("identityProviders.enforcedHint") },
            { kind: "switch", field: "createsAccounts", hint: t("identityProviders.createsAccountsHint") },
          ],
        },
        {
          title: t("identityProviders.mappings.title"),
          hint: t("identityProviders.mappings.hint"),
          error: faults.mappings && t("identityProviders.mappings.required"),
          fields: [<MappingRows key="mappings" value={mappings} onChange={(next) => change({ mappings: next })} />],
        },
      ]}
      onClose={onClose}
    />
  );
};
