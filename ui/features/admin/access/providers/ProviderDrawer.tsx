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
} from "../../../../../src/domain/accounts/identities/sso/sso-rules.ts";
import { FormDrawer } from "../../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { Section } from "../../../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../../components/inputs/NameListInput.tsx";
import { SwitchRow } from "../../../../components/inputs/SwitchRow.tsx";
import { useCheckedForm } from "../../../../components/inputs/use-checked-form.ts";
import { Field, Row } from "../../../../components/layout.tsx";
import { ProviderIcon } from "../../../account/login/ProviderIcon.tsx";
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
    const label = t(`providers.fields.${field}`);
    const hint = t(`providers.hints.${field}`);
    const error = isMissing(field) ? t("providers.required") : undefined;
    if (field === "trust_email") {
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
        optional={isOptional ? t("providers.optional") : undefined}
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
    notifyDone(t("providers.saved", { name: request.name }));
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
      title={provider ? t("providers.editTitle", { name: provider.name }) : t("providers.add")}
      action={t(provider ? "providers.save" : "providers.add")}
      isNew={provider === null}
      onClose={onClose}
    >
      <Section title={t("providers.general")}>
        <LabelledInput
          label={t("providers.columns.name")}
          hint={t("providers.nameHint")}
          error={faults.name && t("providers.required")}
          name="provider-name"
          maxCharacters={LONGEST_NAME}
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <Field label={t("providers.icon")}>
          <Select
            fullWidth
            displayEmpty
            value={form.icon}
            onChange={({ target }) => change({ icon: target.value })}
            inputProps={{ "aria-label": t("providers.icon") }}
          >
            {SSO_ICONS.map((icon) => (
              <MenuItem key={icon} value={icon}>
                <Row gap={2}>
                  <ProviderIcon icon={icon} />
                  {t(`providers.icons.${icon || "key"}`)}
                </Row>
              </MenuItem>
            ))}
          </Select>
        </Field>
        <SwitchRow
          label={t("providers.enabled")}
          hint={t("providers.enabledHint")}
          isOn={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </Section>
      <Section title={t("providers.connection")}>
        {provider === null && (
          <Field label={t("providers.type")}>
            <Select
              fullWidth
              value={form.type}
              onChange={({ target }) => change({ type: target.value, config: {} })}
              inputProps={{ "aria-label": t("providers.type") }}
            >
              {SSO_TYPES.map((type) => (
                <MenuItem key={type} value={type}>
                  {t(`providers.types.${type}`)}
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
            label={t("providers.fields.secret")}
            hint={provider?.secret_set && t("providers.stored")}
            name="provider-secret"
            type="password"
            autoComplete="new-password"
            value={form.secret}
            onChange={(secret) => change({ secret })}
          />
        )}
      </Section>
      <Section title={t("providers.people")}>
        <Field
          label={t("providers.columns.domains")}
          htmlFor={domainsId}
          hint={t("providers.domainsHint")}
          error={faults.domains && t("providers.domainsInvalid")}
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
          label={t("providers.enforced")}
          hint={t("providers.enforcedHint")}
          isOn={form.enforced}
          onChange={(enforced) => change({ enforced })}
        />
        <SwitchRow
          label={t("providers.createsAccounts")}
          hint={t("providers.createsAccountsHint")}
          isOn={form.createsAccounts}
          onChange={(createsAccounts) => change({ createsAccounts })}
        />
      </Section>
      <Section title={t("providers.mappings.title")} hint={t("providers.mappings.hint")}>
        {faults.mappings && (
          <Box role="alert" sx={{ fontSize: 12, color: "tone.bad.text" }}>
            {t("providers.mappings.required")}
          </Box>
        )}
        <MappingRows value={form.mappings} onChange={(mappings) => change({ mappings })} />
      </Section>
    </FormDrawer>
  );
};
