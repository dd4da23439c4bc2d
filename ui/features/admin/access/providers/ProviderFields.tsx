import OutlinedInput from "@mui/material/OutlinedInput";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { SSO_FIELDS, type SsoType } from "../../../../../src/domain/accounts/identities/sso/sso-rules.ts";
import { LabelledInput } from "../../../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../../../components/inputs/SwitchRow.tsx";
import { Field } from "../../../../components/layout.tsx";

type ProviderFieldsProps = Readonly<{
  type: SsoType;
  config: Readonly<Record<string, string>>;
  isMissing: (field: string) => boolean;
  onChange: (field: string, value: string) => void;
}>;

const CERTIFICATE_ROWS = 4;

/** The fields of a type of identity provider. */
export const ProviderFields = ({ type, config, isMissing, onChange }: ProviderFieldsProps) => {
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
