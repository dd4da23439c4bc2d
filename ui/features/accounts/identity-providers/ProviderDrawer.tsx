import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import {
  SSO_FIELDS,
  SSO_ICONS,
  SSO_TYPES,
  type SsoType,
} from "../../../../src/domain/accounts/identity-providers/sso-rules.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { ProviderIcon } from "../sign-in/ProviderIcon.tsx";
import { MappingRows } from "./MappingRows.tsx";
import { addProvider, changeProvider, type Provider, providers } from "./provider-calls.ts";
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
  const certificateId = useId();
  return Object.entries(SSO_FIELDS[type]).map(([field, { isOptional }]) => {
    const value = config[field] ?? "";
    const label = t(`identityProviders.fields.${field}`);
    const hint = t(`identityProviders.hints.${field}`);
    const error = isMissing(field) ? t("identityProviders.required") : undefined;
    if (field === "trust_email" || field === "sign_out") {
      const set = (isOn: boolean) => onChange(field, isOn ? "true" : "");
      return <SwitchRow key={field} label={label} hint={hint} isOn={value === "true"} onChange={set} />;
    }
    if (field === "certificate") {
      return (
        <Field key={field} label={label} htmlFor={certificateId} hint={hint} error={error}>
          <OutlinedInput
            id={certificateId}
            fullWidth
            multiline
            minRows={CERTIFICATE_ROWS}
            error={error !== undefined}
            value={value}
            onChange={({ target }) => onChange(field, target.value)}
          />
        </Field>
      );
    }
    return (
      <LabelledInput
        key={field}
        label={label}
        hint={hint}
        error={error}
        optional={isOptional ? t("identityProviders.optional") : undefined}
        name={`provider-${field}`}
        autoComplete="off"
        value={value}
        onChange={(text) => onChange(field, text)}
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
  const domainsId = useId();
  const send = async (values: ProviderForm) => {
    const request = bodyOfProvider(values);
    if (provider) await changeProvider(provider.id, request);
    else await addProvider({ ...request, type: values.type });
    notifyDone(t("identityProviders.saved", { name: request.name }));
    void client.invalidateQueries(providers);
    onClose();
  };
  const state = useCheckedForm<ProviderForm & Record<string, unknown>>({
    initial: formOfProvider(provider),
    check: checkProviderForm,
    send,
  });
  const { form, change, faults } = state;
  const setField = (field: string, value: string) => change({ config: { ...form.config, [field]: value } });
  return (
    <FormDrawer
      state={state}
      title={provider ? t("identityProviders.editTitle", { name: provider.name }) : t("identityProviders.add")}
      action={t(provider ? "identityProviders.save" : "identityProviders.add")}
      isNew={provider === null}
      onClose={onClose}
    >
      <Section title={t("identityProviders.general")}>
        <LabelledInput
          label={t("identityProviders.columns.name")}
          hint={t("identityProviders.nameHint")}
          error={faults.name && t("identityProviders.required")}
          name="provider-name"
          maxCharacters={LONGEST_NAME}
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <Field label={t("identityProviders.icon")}>
          <Select
            fullWidth
            displayEmpty
            value={form.icon}
            onChange={({ target }) => change({ icon: target.value })}
            inputProps={{ "aria-label": t("identityProviders.icon") }}
          >
            {SSO_ICONS.map((icon) => (
              <MenuItem key={icon} value={icon}>
                <Row gap={2}>
                  <ProviderIcon icon={icon} />
                  {t(`identityProviders.icons.${icon || "key"}`)}
                </Row>
              </MenuItem>
            ))}
          </Select>
        </Field>
        <SwitchRow
          label={t("identityProviders.enabled")}
          hint={t("identityProviders.enabledHint")}
          isOn={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </Section>
      <Section title={t("identityProviders.connection")}>
        {provider === null && (
          <Field label={t("identityProviders.type")}>
            <Select
              fullWidth
              value={form.type}
              onChange={({ target }) => change({ type: target.value, config: {} })}
              inputProps={{ "aria-label": t("identityProviders.type") }}
            >
              {SSO_TYPES.map((type) => (
                <MenuItem key={type} value={type}>
                  {t(`identityProviders.types.${type}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
        )}
        <ProviderFields
          type={form.type}
          config={form.config}
          isMissing={(field) => faults[`config_${field}`] !== undefined}
          onChange={setField}
        />
        {form.type === "oidc" && (
          <LabelledInput
            label={t("identityProviders.fields.secret")}
            hint={provider?.secret_set && t("identityProviders.stored")}
            name="provider-secret"
            type="password"
            autoComplete="new-password"
            value={form.secret}
            onChange={(secret) => change({ secret })}
          />
        )}
      </Section>
      <Section title={t("identityProviders.people")}>
        <Field
          label={t("identityProviders.columns.domains")}
          htmlFor={domainsId}
          hint={t("identityProviders.domainsHint")}
          error={faults.domains && t("identityProviders.domainsInvalid")}
        >
          <NameListInput
            id={domainsId}
            value={form.domains}
            onChange={(domains) => change({ domains })}
            options={[]}
            placeholder="example.com"
            invalid={faults.domains !== undefined}
          />
        </Field>
        <SwitchRow
          label={t("identityProviders.enforced")}
          hint={t("identityProviders.enforcedHint")}
          isOn={form.enforced}
          onChange={(enforced) => change({ enforced })}
        />
        <SwitchRow
          label={t("identityProviders.createsAccounts")}
          hint={t("identityProviders.createsAccountsHint")}
          isOn={form.createsAccounts}
          onChange={(createsAccounts) => change({ createsAccounts })}
        />
      </Section>
      <Section title={t("identityProviders.mappings.title")} hint={t("identityProviders.mappings.hint")}>
        {faults.mappings && (
          <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
            {t("identityProviders.mappings.required")}
          </Box>
        )}
        <MappingRows value={form.mappings} onChange={(mappings) => change({ mappings })} />
      </Section>
    </FormDrawer>
  );
};
